//! Maps of the manifold of configurations, as functions of Python.

use crate::call::Computes;
use crate::real::Real;
use crate::rows::{Dims, Row};
use rbd_jit::{Error, Loaded};

/// A map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Map {
    Integrate,
    Difference,
    IntegrateJacobians,
    DifferenceJacobians,
    Interpolate,
    RandomConfiguration,
}

impl Map {
    /// Computes one state.
    pub fn call<T: Real>(
        self,
        robot: &Loaded<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        match (self, inputs, outputs) {
            (Self::Integrate, [q, dv], [out]) => robot.integrate(q, dv, out),
            (Self::Difference, [q0, q1], [out]) => robot.difference(q0, q1, out),
            (Self::IntegrateJacobians, [_, dv], [by_q, by_dv]) => robot.integrate_jacobians(dv, by_q, by_dv),
            (Self::DifferenceJacobians, [q0, q1], [by_q0, by_q1]) => {
                robot.difference_jacobians(q0, q1, by_q0, by_q1)
            }
            (Self::Interpolate, [q0, q1, [t]], [out]) => robot.interpolate(q0, q1, *t, out),
            (Self::RandomConfiguration, [uniform], [out]) => robot.random_configuration(uniform, out),
            (map, ..) => unreachable!("{map:?} has other arguments"),
        }
    }
}

/// All maps.
pub static ROWS: [Row; 6] = [
    Row {
        computes: Computes::Manifold(Map::Integrate),
        name: "integrate",
        doc: "The configuration reached from `q` by the tangent vector `dv` (a velocity times a time).",
        equation: "q (+) dv",
        takes: &["q", "dv"],
        takes_more: &[],
        gives: &[("q", Dims::Configuration, "configuration; rad, m")],
        result: None,
        keywords: &[],
    },
    Row {
        computes: Computes::Manifold(Map::Difference),
        name: "difference",
        doc: "The tangent vector that leads from `q0` to `q1`.",
        equation: "integrate(q0, difference(q0, q1)) = q1",
        takes: &["q0", "q1"],
        takes_more: &[],
        gives: &[("dv", Dims::Tangent, "tangent vector; rad, m")],
        result: None,
        keywords: &[],
    },
    Row {
        computes: Computes::Manifold(Map::IntegrateJacobians),
        name: "integrate_jacobians",
        doc: "The derivatives of `integrate` by both arguments, in the tangent spaces of argument and result.",
        equation: "dq = d integrate(q, dv) / dq, dv = d integrate(q, dv) / d dv",
        takes: &["q", "dv"],
        takes_more: &[],
        gives: &[
            ("dq", Dims::Square, "derivative in the tangent space of `q`; 1"),
            ("dv", Dims::Square, "derivative by the tangent vector `dv`; 1"),
        ],
        result: Some("IntegrateJacobians"),
        keywords: &[],
    },
    Row {
        computes: Computes::Manifold(Map::DifferenceJacobians),
        name: "difference_jacobians",
        doc: "The derivatives of `difference` by both arguments, in the tangent spaces.",
        equation: "dq0 = d difference(q0, q1) / dq0, dq1 = d difference(q0, q1) / dq1",
        takes: &["q0", "q1"],
        takes_more: &[],
        gives: &[
            ("dq0", Dims::Square, "derivative in the tangent space of `q0`; 1"),
            ("dq1", Dims::Square, "derivative in the tangent space of `q1`; 1"),
        ],
        result: Some("DifferenceJacobians"),
        keywords: &[],
    },
    Row {
        computes: Computes::Manifold(Map::Interpolate),
        name: "interpolate",
        doc: "The configuration at `t` on the way from `q0` (`t = 0`) to `q1` (`t = 1`).",
        equation: "integrate(q0, t * difference(q0, q1))",
        takes: &["q0", "q1", "t"],
        takes_more: &[],
        gives: &[("q", Dims::Configuration, "configuration; rad, m")],
        result: None,
        keywords: &[],
    },
    Row {
        computes: Computes::Manifold(Map::RandomConfiguration),
        name: "random_configuration",
        doc: "A configuration within the limits, of numbers that a random generator gives: \
              `random_configuration(rng.random(NV))`. A coordinate without limits is within a whole turn or \
              from -1 to 1 m, a quaternion any rotation.",
        equation: "lower + uniform * (upper - lower)",
        takes: &["uniform"],
        takes_more: &[],
        gives: &[("q", Dims::Configuration, "configuration; rad, m")],
        result: None,
        keywords: &[],
    },
];
