//! Robots behind one interface, so that a test can iterate over them.

#[cfg(feature = "all-robots")]
use crate::Hyq;
use crate::{DoublePendulum, Gripper, Iiwa14};
use nalgebra::{SMatrix, SVector};
use rbd::{Model, Scalar};

macro_rules! names {
    ($($function:ident)*) => {
        /// Functions of a [`Robot`], by the generated functions' names.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($function)),*];
    };
}
rbd::__private::dynamics_functions!([names]);

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

/// Runs its argument once and observes it.
pub type Around<'a> = &'a mut dyn FnMut(&mut dyn FnMut());
type Compute = fn(&str, &Inputs, Around<'_>) -> Vec<f64>;

/// A generated robot with one of the scalars.
#[derive(Clone, Copy)]
pub struct Robot {
    /// The robot's name here, and the scalar's.
    pub name: &'static str,
    /// Path of its URDF, from the repository's root.
    pub urdf: &'static str,
    /// Whether it floats.
    pub floating: bool,
    /// True if the scalar is `f32`.
    pub single: bool,
    /// Its functions: all of [`FUNCTIONS`], or of large robots some.
    pub functions: &'static [&'static str],
    /// The robot as data.
    pub model: fn() -> Model<f64>,
    pub(crate) call: Compute,
    pub(crate) integrate: fn(&[f64], &[f64]) -> Vec<f64>,
}

impl Robot {
    /// A function's outputs, one after the other, matrices column by column.
    pub fn call(&self, function: &str, inputs: &Inputs) -> Vec<f64> {
        self.call_within(function, inputs, &mut |run| run())
    }

    /// Calls a function with only the call itself inside of `around`.
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

/// Results of functions as numbers, columns one after the other.
pub(crate) trait Numbers<T> {
    fn push_to(&self, all: &mut Vec<f64>);
}
impl<T: Float> Numbers<T> for T {
    fn push_to(&self, all: &mut Vec<f64>) {
        all.push(self.into_f64());
    }
}
impl<T: Float, const R: usize, const C: usize> Numbers<T> for SMatrix<T, R, C> {
    fn push_to(&self, all: &mut Vec<f64>) {
        all.extend(self.iter().map(|x| x.into_f64()));
    }
}
impl<T: Float, const R: usize, const C: usize, const N: usize> Numbers<T> for [SMatrix<T, R, C>; N] {
    fn push_to(&self, all: &mut Vec<f64>) {
        self.iter().for_each(|m| m.push_to(all));
    }
}

/// One call by a function's row in the table: large results are written to their caller's memory.
macro_rules! call {
    (@argument q $i:ident $s:ty, $t:ident) => { &vector::<$s, { $t::NQ }>(&$i.q) };
    (@argument v $i:ident $s:ty, $t:ident) => { &vector(&$i.v) };
    (@argument fext $i:ident $s:ty, $t:ident) => {
        &std::array::from_fn::<_, { $t::NB }, _>(|body| vector(&$i.fext[6 * body..]))
    };
    // Acceleration or torques.
    (@argument $third:ident $i:ident $s:ty, $t:ident) => { &vector(&$i.third) };
    ([$f:ident $into:ident ($($p:ident)*) scalar ($name:ident)] $t:ident, $s:ty, $i:ident, $around:ident, $all:ident) => {{
        let mut out = $s::from_f64(0.0);
        $around(&mut || out = $t::$f($(call!(@argument $p $i $s, $t)),*));
        $crate::adapter::Numbers::push_to(&out, &mut $all);
    }};
    ([$f:ident $into:ident ($($p:ident)*) vector ($name:ident)] $t:ident, $s:ty, $i:ident, $around:ident, $all:ident) => {{
        let mut out = nalgebra::SVector::zeros();
        $around(&mut || out = $t::$f($(call!(@argument $p $i $s, $t)),*));
        $crate::adapter::Numbers::push_to(&out, &mut $all);
    }};
    ([$f:ident $into:ident ($($p:ident)*) matrix ($name:ident)] $t:ident, $s:ty, $i:ident, $around:ident, $all:ident) => {{
        let mut out = nalgebra::SMatrix::zeros();
        $around(&mut || $t::$into($(call!(@argument $p $i $s, $t),)* &mut out));
        $crate::adapter::Numbers::push_to(&out, &mut $all);
    }};
    ([$f:ident $into:ident ($($p:ident)*) $result:ident ($($name:ident)*)]
        $t:ident, $s:ty, $i:ident, $around:ident, $all:ident) => {{
        let mut out = rbd::$result::zeros();
        $around(&mut || $t::$into($(call!(@argument $p $i $s, $t),)* &mut out));
        $($crate::adapter::Numbers::push_to(&out.$name, &mut $all);)*
    }};
}
pub(crate) use call;

/// A robot of this type and scalar, with these functions: by default all.
macro_rules! robot {
    ($name:literal, $t:ident, $s:ty, $urdf:literal, $floating:literal) => {
        rbd::__private::dynamics_functions!([robot] $name, $t, $s, $urdf, $floating:)
    };
    ($name:literal, $t:ident, $s:ty, $urdf:literal, $floating:literal: $($function:ident)*) => {
        Robot {
            name: $name,
            urdf: $urdf,
            floating: $floating,
            single: size_of::<$s>() == 4,
            functions: &[$(stringify!($function)),*],
            model: $t::model::<f64>,
            call: |function: &str, inputs: &Inputs, around: Around<'_>| {
                let mut all = Vec::new();
                match function {
                    $(stringify!($function) => {
                        rbd::__private::function_row!($function [call] $t, $s, inputs, around, all)
                    })*
                    other => panic!("no function {other}"),
                }
                all
            },
            integrate: |q, dv| $t::integrate::<f64>(&vector(q), &vector(dv)).as_slice().to_vec(),
        }
    };
}
pub(crate) use robot;

/// The robots of [`robots`] and, with the feature `all-robots`, the humanoid, which is the largest.
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
        robot!("double_pendulum f64", DoublePendulum, f64, "robots/double_pendulum.urdf", false),
        robot!("double_pendulum f32", DoublePendulum, f32, "robots/double_pendulum.urdf", false),
        robot!("iiwa14 f64", Iiwa14, f64, "robots/iiwa14.urdf", false),
        robot!("iiwa14 f32", Iiwa14, f32, "robots/iiwa14.urdf", false),
        #[cfg(feature = "all-robots")]
        robot!("hyq f64", Hyq, f64, "robots/hyq.urdf", true),
        #[cfg(not(feature = "all-robots"))]
        crate::few::hyq(),
        robot!("gripper f64", Gripper, f64, "rbd-build/tests/good/gripper.urdf", false),
    ]
}
