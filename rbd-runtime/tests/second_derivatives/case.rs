//! A robot in a state, as the loops of second derivatives take it.

use crate::plain::Plain;
use nalgebra::{DMatrix, DVector, SVector};
use rbd_runtime::loops::Tables;
use rbd_runtime::loops::of_model::{Owned, Padded};
use rbd_runtime::loops::second::{Given, Hessian, rnea_hessian, rnea_second_derivatives};
use rbd_runtime::random::{Random, State};
use rbd_runtime::{Model, Scalar};

pub const P: usize = 48;

/// A robot in a state, for the loops, with a multiplier.
pub struct Case<T> {
    pub robot: Padded<Owned, P>,
    pub n: usize,
    pub q: Vec<T>,
    pub v: Vec<T>,
    pub a: Vec<T>,
    pub tau: Vec<T>,
    pub mu: Vec<T>,
    pub fext: Vec<SVector<T, 6>>,
}

/// Value, gradients, blocks.
pub type Contracted = (f64, [DVector<f64>; 3], [DMatrix<f64>; 4]);

/// A scalar whose value can be read.
pub trait Seen: Scalar {
    fn see(self) -> f64;
}
impl Seen for f64 {
    fn see(self) -> f64 {
        self
    }
}
impl Seen for Plain {
    fn see(self) -> f64 {
        self.0
    }
}

pub fn see<T: Seen>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.see()).collect()
}

impl<T: Seen> Case<T> {
    pub fn new(model: &Model<f64>, x: &State, force: bool) -> Self {
        let cast = |x: &DVector<f64>| -> Vec<T> { x.iter().map(|x| T::from_f64(*x)).collect() };
        let fext: &[_] = if force { &x.fext } else { &[] };
        Self {
            robot: Padded::new(Owned::from_model(model).expect("tables")).expect("room"),
            n: model.nv,
            q: cast(&x.q),
            v: cast(&x.v),
            a: cast(&x.a),
            tau: cast(&x.tau),
            mu: cast(&multiplier(model.nv)),
            fext: fext.iter().map(|f| f.map(T::from_f64)).collect(),
        }
    }

    pub fn tables(&self) -> Tables<'_, P> {
        self.robot.tables()
    }

    pub fn given<'a>(&'a self, a: &'a [T]) -> Given<'a, T> {
        Given { q: &self.q, v: &self.v, a, mu: &self.mu, fext: &self.fext, turned: None }
    }

    /// Fills a result and reads it.
    pub fn contracted(&self, fill: impl FnOnce(Hessian<'_, T>)) -> Contracted {
        self.contracted_on(f64::NAN, fill)
    }

    /// Fills a result whose blocks have this number everywhere, and reads it. Zeros are left alone, unless
    /// it is not a number.
    fn contracted_on(&self, old: f64, fill: impl FnOnce(Hessian<'_, T>)) -> Contracted {
        let (n, nan) = (self.n, T::from_f64(f64::NAN));
        let mut value = [nan];
        let mut gradient = [0; 3].map(|_| vec![nan; n]);
        let mut blocks = [0; 4].map(|_| vec![T::from_f64(old); n * n]);
        fill(Hessian {
            value: &mut value,
            gradient: gradient.each_mut().map(|x| x.as_mut_slice()),
            blocks: blocks.each_mut().map(|x| x.as_mut_slice()),
            leaves_zeros: !old.is_nan(),
        });
        let vector = |x: Vec<T>| DVector::from_vec(see(&x));
        let matrix = |x: Vec<T>| DMatrix::from_vec(n, n, see(&x));
        (value[0].see(), gradient.map(vector), blocks.map(matrix))
    }

    pub fn rnea_hessian(&self) -> Contracted {
        self.contracted(|out| rnea_hessian(&self.tables(), self.given(&self.a), out))
    }

    /// Fills blocks that have this number everywhere, then again at another acceleration. Zeros are left
    /// alone.
    pub fn rnea_hessian_on(&self, old: f64) -> Contracted {
        self.contracted_on(old, |out| {
            let Hessian { value, gradient: [q, v, a], blocks: [qq, qv, vv, qa], leaves_zeros } = out;
            for acceleration in [&self.tau, &self.a] {
                let gradient = [&mut *q, &mut *v, &mut *a];
                let blocks = [&mut *qq, &mut *qv, &mut *vv, &mut *qa];
                let out = Hessian { value: &mut *value, gradient, blocks, leaves_zeros };
                rnea_hessian(&self.tables(), self.given(acceleration), out);
            }
        })
    }

    /// Overwrites the tensors, except for zeros.
    pub fn tensors(&self, out: &mut [Vec<T>; 4]) {
        let out = out.each_mut().map(|x| x.as_mut_slice());
        rnea_second_derivatives(&self.tables(), self.given(&self.a), out);
    }

    /// Room for tensors.
    pub fn cubes(&self) -> [Vec<T>; 4] {
        [0; 4].map(|_| vec![T::zero(); self.n * self.n * self.n])
    }
}

pub fn multiplier(n: usize) -> DVector<f64> {
    Random::new(99).vector(n, 2.0)
}
