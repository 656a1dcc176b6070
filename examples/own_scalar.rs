//! A user-defined scalar: numbers that count operations.
//!
//! `cargo run --release --example own_scalar`. Generated functions take any type that implements
//! `rbd::Scalar`: intervals, dual numbers of another crate, fixed point, or this counter. The count
//! equals the one of `rbd report`.

use num_traits::{One, Zero};
use rbd::nalgebra::SVector;
use rbd::{InverseDynamics, Scalar};
use std::cell::Cell;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

rbd::rbd_robot! {
    pub struct DoublePendulum { urdf: "robots/double_pendulum.urdf", functions: [inverse_dynamics] }
}

thread_local! {
    static OPERATIONS: Cell<usize> = const { Cell::new(0) };
}

/// An `f64` whose sums, products and quotients are counted. A fused multiply-add counts as two
/// operations.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted(f64);

fn counted(operations: usize, x: f64) -> Counted {
    OPERATIONS.set(OPERATIONS.get() + operations);
    Counted(x)
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $operator:tt;)*) => { $(
        impl $trait for Counted {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                counted(1, self.0 $operator other.0)
            }
        }
        impl $assign for Counted {
            fn $assign_method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }
    )* };
}
operators! {
    Add add AddAssign add_assign +;
    Sub sub SubAssign sub_assign -;
    Mul mul MulAssign mul_assign *;
    Div div DivAssign div_assign /;
}

impl Neg for Counted {
    type Output = Self;
    // A sign is free: it is part of the next instruction.
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Zero for Counted {
    fn zero() -> Self {
        Self(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for Counted {
    fn one() -> Self {
        Self(1.0)
    }
}

impl Scalar for Counted {
    fn from_f64(x: f64) -> Self {
        Self(x)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        counted(2, self.0.mul_add(a.0, b.0))
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Self(sin), Self(cos))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.0 < limit { below } else { otherwise }
    }
}

/// Number of operations of a call of `rnea`.
fn operations<R: InverseDynamics<N, N>, const N: usize>() -> usize {
    let x = SVector::<Counted, N>::repeat(Counted(0.5));
    OPERATIONS.set(0);
    let tau = R::rnea(&x, &x, &x);
    assert!(tau.iter().all(|x| x.0.is_finite()));
    OPERATIONS.get()
}

fn main() {
    let counted = operations::<DoublePendulum, 2>();
    println!("rnea of {}: {counted} sums, products and quotients", DoublePendulum::NAME);
    // As recorded in tests/costs.txt: 12 additions and 18 multiplications.
    assert_eq!(counted, 12 + 18);
}
