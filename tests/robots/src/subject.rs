//! Robots behind one interface, so that a test can go through all of them.

#[cfg(feature = "all-robots")]
use crate::Hyq;
use crate::{DoublePendulum, Gripper, Iiwa14};
use nalgebra::{SMatrix, SVector};
use rbd::{Model, Scalar};

/// What can be asked of a [`Robot`], by the generated functions' names.
pub const FUNCTIONS: [&str; 12] = [
    "rnea",
    "rnea_fext",
    "bias",
    "gravity",
    "aba",
    "aba_fext",
    "crba",
    "minv",
    "rnea_derivatives",
    "rnea_derivatives_fext",
    "aba_derivatives",
    "aba_derivatives_fext",
];

/// Arguments of any function.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Acceleration or torque.
    pub third: Vec<f64>,
    /// Six numbers a body.
    pub fext: Vec<f64>,
}

/// Runs what it is given, once, and looks at what that does.
pub type Around<'a> = &'a mut dyn FnMut(&mut dyn FnMut());
type Call = fn(&str, &Inputs, Around<'_>) -> Vec<f64>;

/// A generated robot with one of the scalars.
#[derive(Clone, Copy)]
pub struct Robot {
    /// The robot's name here, and the scalar's.
    pub name: &'static str,
    /// Where its URDF is, from the repository's root.
    pub urdf: &'static str,
    /// Whether it floats.
    pub floating: bool,
    /// Whether the scalar is `f32`.
    pub single: bool,
    /// Its functions: all of [`FUNCTIONS`], or of large robots some.
    pub functions: &'static [&'static str],
    /// The robot as data.
    pub model: fn() -> Model<f64>,
    pub(crate) call: Call,
    pub(crate) integrate: fn(&[f64], &[f64]) -> Vec<f64>,
}

impl Robot {
    /// A function's outputs, one after the other, matrices column by column.
    pub fn call(&self, function: &str, inputs: &Inputs) -> Vec<f64> {
        self.call_within(function, inputs, &mut |run| run())
    }

    /// The same; only the call itself happens inside of `around`.
    pub fn call_within(&self, function: &str, inputs: &Inputs, around: Around<'_>) -> Vec<f64> {
        (self.call)(function, inputs, around)
    }

    /// `integrate`.
    pub fn integrate(&self, q: &[f64], dv: &[f64]) -> Vec<f64> {
        (self.integrate)(q, dv)
    }
}

/// Floats of two sizes.
pub(crate) trait Float: Scalar {
    fn into_f64(self) -> f64;
}
impl Float for f64 {
    fn into_f64(self) -> f64 {
        self
    }
}
impl Float for f32 {
    fn into_f64(self) -> f64 {
        self.into()
    }
}

pub(crate) fn vector<T: Scalar, const N: usize>(x: &[f64]) -> SVector<T, N> {
    SVector::from_fn(|i, _| T::from_f64(x[i]))
}

fn numbers<'a, T: Float>(x: impl IntoIterator<Item = &'a T>) -> Vec<f64> {
    x.into_iter().map(|x| x.into_f64()).collect()
}

/// One function by its name. The derivatives are those that write to their caller's struct.
fn call<R, T: Float, const NQ: usize, const NV: usize, const NB: usize>(
    function: &str,
    inputs: &Inputs,
    around: Around<'_>,
) -> Vec<f64>
where
    R: rbd::Robot<NQ, NV, Forces<T> = [SVector<T, 6>; NB]>,
{
    let q: &SVector<T, NQ> = &vector(&inputs.q);
    let (v, a): (&SVector<T, NV>, &SVector<T, NV>) = (&vector(&inputs.v), &vector(&inputs.third));
    let f: &[SVector<T, 6>; NB] = &std::array::from_fn(|body| vector(&inputs.fext[6 * body..]));
    let mut x = SVector::<T, NV>::zeros();
    let mut m = SMatrix::<T, NV, NV>::zeros();
    let mut r = rbd::RneaDerivatives::<T, NV>::zeros();
    let mut d = rbd::AbaDerivatives::<T, NV>::zeros();
    match function {
        "rnea" => around(&mut || x = R::rnea(q, v, a)),
        "rnea_fext" => around(&mut || x = R::rnea_fext(q, v, a, f)),
        "bias" => around(&mut || x = R::bias(q, v)),
        "gravity" => around(&mut || x = R::gravity(q)),
        "aba" => around(&mut || x = R::aba(q, v, a)),
        "aba_fext" => around(&mut || x = R::aba_fext(q, v, a, f)),
        "crba" => around(&mut || R::crba_into(q, &mut m)),
        "minv" => around(&mut || R::minv_into(q, &mut m)),
        "rnea_derivatives" => around(&mut || R::rnea_derivatives_into(q, v, a, &mut r)),
        "rnea_derivatives_fext" => around(&mut || R::rnea_derivatives_fext_into(q, v, a, f, &mut r)),
        "aba_derivatives" => around(&mut || R::aba_derivatives_into(q, v, a, &mut d)),
        "aba_derivatives_fext" => around(&mut || R::aba_derivatives_fext_into(q, v, a, f, &mut d)),
        other => panic!("no function {other}"),
    }
    results(function, (&x, &m, &r, &d))
}

/// The one of these that a function writes to, as numbers.
pub(crate) fn results<T: Float, const NV: usize>(
    function: &str,
    (x, m, r, d): (
        &SVector<T, NV>,
        &SMatrix<T, NV, NV>,
        &rbd::RneaDerivatives<T, NV>,
        &rbd::AbaDerivatives<T, NV>,
    ),
) -> Vec<f64> {
    match function {
        f if f.starts_with("rnea_d") => {
            [numbers(&r.tau), numbers(&r.dtau_dq), numbers(&r.dtau_dv), numbers(&r.dtau_da)].concat()
        }
        f if f.starts_with("aba_d") => {
            [numbers(&d.ddq), numbers(&d.ddq_dq), numbers(&d.ddq_dv), numbers(&d.ddq_dtau)].concat()
        }
        "crba" | "minv" => numbers(m),
        _ => numbers(x),
    }
}

fn integrate<R: rbd::Robot<NQ, NV>, const NQ: usize, const NV: usize>(q: &[f64], dv: &[f64]) -> Vec<f64> {
    R::integrate::<f64>(&vector(q), &vector(dv)).as_slice().to_vec()
}

macro_rules! robot {
    ($name:literal, $type:ident, $scalar:ty, $nq:literal, $nv:literal, $nb:literal, $urdf:literal, $floating:literal) => {
        Robot {
            name: $name,
            urdf: $urdf,
            floating: $floating,
            single: size_of::<$scalar>() == 4,
            functions: &FUNCTIONS,
            model: $type::model::<f64>,
            call: call::<$type, $scalar, $nq, $nv, $nb>,
            integrate: integrate::<$type, $nq, $nv>,
        }
    };
}

/// Those of [`robots`] and, with the feature `all-robots`, the humanoid, which is the largest.
pub fn everyone() -> Vec<Robot> {
    #[allow(unused_mut)]
    let mut all = robots();
    #[cfg(feature = "all-robots")]
    all.push(crate::few::humanoid());
    all
}

/// The robots, each with `f64` and most with `f32`, small ones with all functions.
pub fn robots() -> Vec<Robot> {
    vec![
        robot!("double_pendulum f64", DoublePendulum, f64, 2, 2, 2, "robots/double_pendulum.urdf", false),
        robot!("double_pendulum f32", DoublePendulum, f32, 2, 2, 2, "robots/double_pendulum.urdf", false),
        robot!("iiwa14 f64", Iiwa14, f64, 7, 7, 7, "robots/iiwa14.urdf", false),
        robot!("iiwa14 f32", Iiwa14, f32, 7, 7, 7, "robots/iiwa14.urdf", false),
        #[cfg(feature = "all-robots")]
        robot!("hyq f64", Hyq, f64, 19, 18, 13, "robots/hyq.urdf", true),
        #[cfg(not(feature = "all-robots"))]
        crate::few::hyq(),
        robot!("gripper f64", Gripper, f64, 8, 7, 5, "rbd-build/tests/good/gripper.urdf", false),
    ]
}
