//! A scalar that counts operations: cost of the generic algorithms before structural zeros are
//! eliminated.

use super::Data;
use crate::spatial::Vector6;
use crate::{Model, Scalar};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use num_traits::{One, Zero};

/// Numbers of scalar operations. Negations and selections count nothing; a fused multiply-add is a
/// product and a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCount {
    /// Sums and differences.
    pub add: u64,
    /// Products.
    pub mul: u64,
    /// Quotients.
    pub div: u64,
    /// Pairs of a sine and a cosine.
    pub sin_cos: u64,
    /// Square roots and arc tangents.
    pub other: u64,
}

impl OperationCount {
    /// Sums, differences, products and quotients.
    pub fn total(&self) -> u64 {
        self.add + self.mul + self.div
    }
}

std::thread_local! {
    static COUNT: Cell<OperationCount> = const { Cell::new(OperationCount { add: 0, mul: 0, div: 0, sin_cos: 0, other: 0 }) };
}

fn count(change: impl FnOnce(&mut OperationCount)) {
    COUNT.with(|cell| {
        let mut count = cell.get();
        change(&mut count);
        cell.set(count);
    });
}

/// An `f64` whose operations are counted, separately in each thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count(f64);

macro_rules! operator {
    ($op:ident, $f:ident, $assign:ident, $g:ident, $field:ident) => {
        impl $op for Count {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                count(|n| n.$field += 1);
                Self(self.0.$f(other.0))
            }
        }

        impl $assign for Count {
            fn $g(&mut self, other: Self) {
                *self = self.$f(other);
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign, add);
operator!(Sub, sub, SubAssign, sub_assign, add);
operator!(Mul, mul, MulAssign, mul_assign, mul);
operator!(Div, div, DivAssign, div_assign, div);

impl Neg for Count {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Zero for Count {
    fn zero() -> Self {
        Self(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for Count {
    fn one() -> Self {
        Self(1.0)
    }
}

// An unspecified type is a plain number.
#[diagnostic::do_not_recommend]
impl Scalar for Count {
    fn from_f64(x: f64) -> Self {
        Self(x)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    fn sin_cos(self) -> (Self, Self) {
        count(|n| n.sin_cos += 1);
        let (s, c) = Scalar::sin_cos(self.0);
        (Self(s), Self(c))
    }
    fn sqrt(self) -> Self {
        count(|n| n.other += 1);
        Self(Scalar::sqrt(self.0))
    }
    fn atan2(self, x: Self) -> Self {
        count(|n| n.other += 1);
        Self(Scalar::atan2(self.0, x.0))
    }
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.0 < limit { below } else { otherwise }
    }
}

/// Arguments of an algorithm whose operations are counted.
pub struct Counted {
    /// The robot.
    pub model: Model<Count>,
    /// Workspace for the robot.
    pub data: Data<Count>,
    /// Neutral configuration of the robot.
    pub q: Vec<Count>,
    /// A velocity, acceleration or torque.
    pub v: Vec<Count>,
    /// A force for each body.
    pub fext: Vec<Vector6<Count>>,
}

/// The operations that `run` does on this robot, everything outside of `run` left out.
pub fn operation_count(model: &Model<f64>, run: impl FnOnce(&mut Counted)) -> OperationCount {
    let model: Model<Count> = model.cast();
    let mut counted = Counted {
        data: Data::new(&model),
        q: model.neutral().as_slice().to_vec(),
        v: vec![Count(1.0); model.nv],
        fext: vec![Vector6::repeat(Count(1.0)); model.bodies.len()],
        model,
    };
    COUNT.with(|cell| cell.set(OperationCount::default()));
    run(&mut counted);
    COUNT.with(Cell::get)
}

/// The operations of the generic algorithm for a function of a generated robot, by the function's
/// name; `None` for a name that has no generic algorithm here.
pub fn dense_count(model: &Model<f64>, function: &str) -> Option<OperationCount> {
    let mut known = true;
    let count = operation_count(model, |Counted { model: m, data: d, q, v, fext }| match function {
        "rnea" => _ = super::rnea(m, d, q, v, v, None),
        "rnea_fext" => _ = super::rnea(m, d, q, v, v, Some(fext)),
        "bias" => _ = super::bias(m, d, q, v),
        "gravity" => _ = super::gravity(m, d, q),
        "aba" => _ = super::aba(m, d, q, v, v, None),
        "aba_fext" => _ = super::aba(m, d, q, v, v, Some(fext)),
        "crba" => _ = super::crba(m, d, q),
        "minv" => _ = super::minv(m, d, q),
        "rnea_derivatives" => _ = super::rnea_derivatives(m, d, q, v, v, None),
        "rnea_derivatives_fext" => _ = super::rnea_derivatives(m, d, q, v, v, Some(fext)),
        "aba_derivatives" => _ = super::aba_derivatives(m, d, q, v, v, None),
        "aba_derivatives_fext" => _ = super::aba_derivatives(m, d, q, v, v, Some(fext)),
        "forward_kinematics" => _ = super::forward_kinematics(m, d, q),
        "center_of_mass" => _ = super::center_of_mass(m, d, q),
        "centroidal_momentum_matrix" => _ = super::centroidal_momentum_matrix(m, d, q),
        "kinetic_energy" => _ = super::kinetic_energy(m, d, q, v),
        "potential_energy" => _ = super::potential_energy(m, d, q),
        "coriolis_matrix" => _ = super::coriolis_matrix(m, d, q, v),
        "regressor" => _ = super::regressor(m, d, q, v, v),
        _ => known = false,
    });
    known.then_some(count)
}
