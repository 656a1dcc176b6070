//! Parameters at run time, as expressions (docs/math.md#parameters-at-run-time).

use super::robot::{SymbolicRobot, constant_transform};
use crate::algebra::{SpatialInertia, Sym3, Transform, Vec3};
use crate::tree::{self, Lane};
use rbd_ir::graph::{Expr, Graph};
use rbd_ir::kernel::ArrayId;
use rbd_runtime::spatial::Placement;

/// Inputs of a kernel that are given at run time, for a function that depends on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// Ten numbers for each inertia.
    pub inertia: Option<ArrayId>,
    /// The gravitational acceleration in the world.
    pub gravity: Option<ArrayId>,
}

/// From the frame that is so placed in the URDF's joint frame to the one here.
fn to_here<'g>(graph: &'g Graph, lane: &Lane, at: &Placement<f64>) -> Transform<'g> {
    constant_transform(graph, &[tree::compose(&tree::inverse(&lane.in_urdf_frame), at)])
}

impl Given {
    /// Sum of the run-time inertias of a body, in its frame here, with a number for each lane.
    pub fn inertia<'g>(self, graph: &'g Graph, lanes: &[Lane]) -> SpatialInertia<'g> {
        let Some(array) = self.inertia else { return SpatialInertia::ZERO };
        let of_lane = |lane: &Lane| {
            lane.given.iter().fold(SpatialInertia::ZERO, |sum, (k, at)| {
                let x = |p: usize| graph.input(array.0, 10 * k + p);
                let j = Sym3 { xx: x(4), xy: x(5), yy: x(6), xz: x(7), yz: x(8), zz: x(9) };
                let given = SpatialInertia { m: x(0), h: Vec3([1, 2, 3].map(x)), j };
                sum + to_here(graph, lane, at).inertia_to_parent(given)
            })
        };
        let of_lanes: Vec<SpatialInertia> = lanes.iter().map(of_lane).collect();
        let gather = |of: &dyn Fn(&SpatialInertia<'g>) -> Expr<'g>| {
            graph.gather(&of_lanes.iter().map(of).collect::<Vec<_>>())
        };
        SpatialInertia {
            m: gather(&|i| i.m),
            h: Vec3([0, 1, 2].map(|k| gather(&|i| i.h[k]))),
            j: Sym3 {
                xx: gather(&|i| i.j.xx),
                yy: gather(&|i| i.j.yy),
                zz: gather(&|i| i.j.zz),
                xy: gather(&|i| i.j.xy),
                xz: gather(&|i| i.j.xz),
                yz: gather(&|i| i.j.yz),
            },
        }
    }
}

impl<'g> SymbolicRobot<'g> {
    /// Gravitational acceleration in the world.
    pub fn gravity(&self) -> Vec3<'g> {
        match self.given.gravity {
            Some(array) => Vec3([0, 1, 2].map(|k| self.graph.input(array.0, k))),
            None => Vec3::constant(self.tree.gravity),
        }
    }

    /// The mass of all moving bodies.
    pub fn mass(&self) -> Expr<'g> {
        let lanes = || self.tree.bodies.iter().flat_map(|b| &b.lanes);
        let constant: f64 = lanes().map(|l| l.inertia.mass + l.unfelt.mass).sum();
        let Some(array) = self.given.inertia else { return Expr::constant(constant) };
        let given = lanes().flat_map(|l| &l.given).map(|(k, _)| self.graph.input(array.0, 10 * k));
        given.fold(Expr::constant(constant), |sum, m| sum + m)
    }

    /// Run-time inertias of body `i`, which is no limb among lanes: index, and transform from the
    /// inertia's frame to the body's.
    pub fn given_of(&self, i: usize) -> impl Iterator<Item = (usize, Transform<'g>)> + '_ {
        let lane = &self.tree.bodies[i].lanes[0];
        lane.given.iter().map(|(k, at)| (*k, to_here(self.graph, lane, at)))
    }
}
