//! Articulated bodies with the rows of all contacts: forward dynamics under contacts without the mass matrix
//! (docs/math.md#force-propagators).
//!
//! Each body has an articulated inertia. For each contact it has force propagators too [Sathya-2024]: the
//! forces on the body and all beyond it for a unit of each row's force.
//!
//! Results are those of `contact_factors.rs`: `D` is that of `M = L^T D L`, and the torques of unit forces
//! are columns of `Y = L^-T J^T`. In place of L, accelerations need `U D^-1` of each column.
//!
//! Motions here are those in addition to the ones without joint accelerations. The columns of a joint are
//! taken one after the other, as if each were a joint.

use super::aba::unit_index;
use super::aba_derivatives::give_inverse;
use super::contact_rows::SideBySide;
use super::mass_matrix::MassFactors;
use super::mass_matrix::ltl_simd::{PackedLtl, Rows, torques_of_forces};
use super::robot::{Coordinates, SymbolicBody, SymbolicRobot};
use super::rows_by_factors::RowsByFactors;
use super::{Draft, ExprMatrix, rnea};
use crate::algebra::{ArticulatedInertia, Components, Force, Motion};
use crate::signatures::contact_rows::{ContactRow, PIVOTS, REDUCED_TORQUES, UNIT_FACTORS};
use crate::signatures::signature::{DDQ, TAU_GIVEN, V};
use rbd_ir::graph::Expr;

/// Handle of a column: `D^-1`, and `U D^-1`, the force on the parent for a unit of the column's torque.
#[derive(Clone, Copy)]
pub(super) struct Handle<'g> {
    pub d_inv: Expr<'g>,
    pub force: Force<'g>,
}

/// Handles of all bodies' columns, and rows of all contacts: their velocities, and their accelerations
/// without forces.
pub fn propagators<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let tau = robot.coordinates(draft.param(TAU_GIVEN));
    let handles = handles(robot);
    let y = reduced_torques(robot, &handles, &v, &tau);

    let of_contacts = RowsByFactors::new(robot, contacts, &v, |side, visit| {
        each_propagated(
            robot,
            |i| &handles[i],
            side,
            None,
            |at @ (i, c), torques| {
                visit(at, torques, y.of(i)[c] * handles[i][c].d_inv);
            },
        );
    });

    let mut forces = ExprMatrix::zeros(draft.sizes().nf, 1);
    for (at, ((i, c), component, lane)) in kept(robot).enumerate() {
        forces[(at, 0)] = handles[i][c].force.component(component).lane(lane);
    }
    let [mut pivots, mut reduced] = [0; 2].map(|_| ExprMatrix::zeros(robot.tree.nv, 1));
    for (i, of_body) in handles.iter().enumerate() {
        for (c, (handle, y)) in of_body.iter().zip(y.of(i)).enumerate() {
            for (lane, joint) in robot.tree.bodies[i].lanes.iter().enumerate() {
                let dof = joint.idx_v + c;
                (pivots[(dof, 0)], reduced[(dof, 0)]) = (handle.d_inv.lane(lane), y.lane(lane));
            }
        }
    }
    draft.give(UNIT_FACTORS, forces);
    draft.give(PIVOTS, pivots);
    draft.give(REDUCED_TORQUES, reduced);
    of_contacts.give(draft);
}

/// Accelerations by the handles, from reduced torques: `D^-1 y - (U D^-1)^T a`, with the motion a of the body
/// before its column moves.
pub fn accelerations<'g>(robot: &SymbolicRobot<'g>, _: &[ContactRow], draft: &mut Draft<'g>) {
    let handles = given_handles(robot, draft);
    let reduced = draft.earlier(REDUCED_TORQUES.name, REDUCED_TORQUES);
    let y = of_joints(robot, |dof| robot.graph.input(reduced.0, dof));
    let (mut moved, mut ddq): (Vec<Motion>, Vec<Vec<Expr>>) = Default::default();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let mut a = body.transform.motion_to_child(robot.of_carrier(i, &moved, Motion::ZERO));
        let mut of_body = Vec::new();
        for ((s, handle), y) in body.columns.iter().zip(&handles[i]).zip(y.of(i)) {
            let x = *y * handle.d_inv - a.dot(handle.force);
            a += *s * x;
            of_body.push(x);
        }
        moved.push(a);
        ddq.push(of_body);
    }
    draft.give(DDQ, robot.collect(&Coordinates(ddq)));
}

/// The inverse of the mass matrix by the handles: their forces at ancestors are the rows of L.
pub fn inverse<'g>(robot: &SymbolicRobot<'g>, _: &[ContactRow], draft: &mut Draft<'g>) {
    let handles = given_handles(robot, draft);
    let rows = Rows::new(robot);
    let l = torques_of_forces(robot, &rows, |i, c| handles[i][c].force);
    let d_inv = handles.iter().flatten().map(|handle| handle.d_inv).collect();
    give_inverse(robot, &MassFactors::Rows(PackedLtl::of_factors(rows, l, d_inv)), draft);
}

/// Handles of all columns, by body.
fn handles<'g>(robot: &SymbolicRobot<'g>) -> Vec<Vec<Handle<'g>>> {
    let mut inertia: Vec<ArticulatedInertia> = robot.bodies.iter().map(|b| b.inertia.into()).collect();
    let mut handles = Vec::new();
    for i in robot.inward() {
        let (left, of_body) = eliminate(&robot.bodies[i], inertia[i]);
        handles.push(of_body);
        if !robot.is_root(i) {
            let moved = robot.bodies[i].transform.articulated_to_parent(left);
            for (parent, sum) in robot.to_carriers(i) {
                inertia[parent] = inertia[parent] + moved.map(sum);
            }
        }
    }
    handles.reverse();
    handles
}

/// Handles of a body's columns, and what is left of its inertia without their motion.
pub(super) fn eliminate<'g>(
    body: &SymbolicBody<'g>,
    inertia: ArticulatedInertia<'g>,
) -> (ArticulatedInertia<'g>, Vec<Handle<'g>>) {
    let mut left = inertia;
    let mut of_body = Vec::new();
    for s in body.columns.iter().rev() {
        let u = left * *s;
        let d_inv = (s.dot(u) + body.armature).recip();
        let force = u * d_inv;
        left = left.minus_outer(&[u], &[force]);
        // What is left does not resist the column exactly, unless the rotor keeps a share.
        if body.armature.is_zero() {
            left = left.without(unit_index(s));
        }
        of_body.push(Handle { d_inv, force });
    }
    of_body.reverse();
    (left, of_body)
}

/// Torques that a body's columns are left with under these velocities and torques. `p`, the force that moves
/// the body without joint accelerations, becomes that on its joint.
pub(super) fn reduce<'g>(
    body: &SymbolicBody<'g>,
    handles: &[Handle<'g>],
    (v, tau): (&[Expr<'g>], &[Expr<'g>]),
    p: &mut Force<'g>,
) -> Vec<Expr<'g>> {
    let mut of_body = Vec::new();
    for (c, s) in body.columns.iter().enumerate().rev() {
        let y = tau[c] - (s.dot(*p) + body.resistance(v[c]));
        *p += handles[c].force * y;
        of_body.push(y);
    }
    of_body.reverse();
    of_body
}

/// `L^-T (tau - b)`, which are the torques of articulated bodies.
fn reduced_torques<'g>(
    robot: &SymbolicRobot<'g>,
    handles: &[Vec<Handle<'g>>],
    v: &Coordinates<'g>,
    tau: &Coordinates<'g>,
) -> Coordinates<'g> {
    let mut p = rnea::newton_euler_forces(robot, rnea::Terms { v: Some(v), a: None, fext: None });
    let mut all = Vec::new();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        all.push(reduce(body, &handles[i], (v.of(i), tau.of(i)), &mut p[i]));
        let moved = body.transform.force_to_parent(p[i]);
        for (parent, sum) in robot.to_carriers(i) {
            p[parent] += moved.map(sum);
        }
    }
    all.reverse();
    Coordinates(all)
}

/// Visits the columns on the way to these contacts with the torques that a unit of each row's force needs
/// there, row by row: columns of `L^-T J^T`. From the contacts to the body `last`, or to the root.
///
/// Returns the forces on the joint of that body for a unit of each row's force.
pub(super) fn each_propagated<'g, 'h>(
    robot: &SymbolicRobot<'g>,
    handles: impl Fn(usize) -> &'h [Handle<'g>],
    side: &SideBySide<'_, 'g>,
    last: Option<usize>,
    mut visit: impl FnMut((usize, usize), &Motion<'g>),
) -> Vec<Force<'g>>
where
    'g: 'h,
{
    let mut on_bodies = side.unit_forces();
    // Bodies come after those that carry them.
    while let Some((i, mut forces)) = on_bodies.pop_last() {
        let body = &robot.bodies[i];
        for (c, s) in body.columns.iter().enumerate().rev() {
            let torques =
                Motion::by_components(|row| forces.get(row).map_or(Expr::ZERO, |force| s.dot(*force)));
            for (row, force) in forces.iter_mut().enumerate() {
                let left = *force - handles(i)[c].force * torques.component(row);
                *force = if body.armature.is_zero() { without(left, unit_index(s)) } else { left };
            }
            visit((i, c), &torques);
        }
        if last == Some(i) {
            return forces;
        }
        // Contacts that are lanes are on paths of equal bodies.
        if let Some(&parent) = robot.carriers(i).first() {
            let on_parent = on_bodies.entry(parent).or_insert_with(|| vec![Force::ZERO; forces.len()]);
            for (sum, force) in on_parent.iter_mut().zip(forces) {
                *sum += body.transform.force_to_parent(force);
            }
        }
    }
    Vec::new()
}

/// A force with a component that is exactly zero.
fn without(force: Force<'_>, component: usize) -> Force<'_> {
    Force::by_components(|k| if k == component { Expr::ZERO } else { force.component(k) })
}

/// The handles that [`propagators`] made.
fn given_handles<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) -> Vec<Vec<Handle<'g>>> {
    let [forces, pivots] = [UNIT_FACTORS, PIVOTS].map(|output| draft.earlier(output.name, output));
    let mut next = 0;
    let d_inv = of_joints(robot, |dof| robot.graph.input(pivots.0, dof));
    let mut of_column = |at @ (i, c): (usize, usize)| {
        let own = unit_index(&robot.bodies[i].columns[c]);
        let kept = components(robot, at);
        let force = Force::by_components(|k| match () {
            () if kept.contains(&k) => {
                let lanes = usize::from(robot.bodies[i].lanes);
                let of_lanes: Vec<Expr> =
                    (next..next + lanes).map(|at| robot.graph.input(forces.0, at)).collect();
                next += lanes;
                robot.graph.gather(&of_lanes)
            }
            () if k == own => Expr::ONE,
            () => Expr::ZERO,
        });
        Handle { d_inv: d_inv.of(i)[c], force }
    };
    let mut of_body = |i: usize| (0..robot.bodies[i].columns.len()).map(|c| of_column((i, c))).collect();
    robot.outward().map(&mut of_body).collect()
}

/// Numbers of the joints' columns, as lanes; unlike coordinates, in the joints' own directions.
fn of_joints<'g>(robot: &SymbolicRobot<'g>, number: impl Fn(usize) -> Expr<'g>) -> Coordinates<'g> {
    let of_column = |i: usize, c: usize| {
        let lanes = robot.tree.bodies[i].lanes.iter();
        robot.graph.gather(&lanes.map(|joint| number(joint.idx_v + c)).collect::<Vec<_>>())
    };
    let of_body = |i: usize| (0..robot.bodies[i].columns.len()).map(|c| of_column(i, c)).collect();
    Coordinates(robot.outward().map(of_body).collect())
}

/// Number of what is kept of the handles' forces.
pub fn entries_of_handles(robot: &SymbolicRobot<'_>) -> usize {
    kept(robot).count()
}

/// Stored entries of the handles' forces: body and column, component, and lane.
/// Lanes are next to one another.
fn kept<'a>(robot: &'a SymbolicRobot<'_>) -> impl Iterator<Item = ((usize, usize), usize, usize)> + 'a {
    let columns = robot.outward().flat_map(|i| (0..robot.bodies[i].columns.len()).map(move |c| (i, c)));
    columns.flat_map(|at| {
        let lanes = 0..usize::from(robot.bodies[at.0].lanes);
        components(robot, at).into_iter().flat_map(move |k| lanes.clone().map(move |lane| (at, k, lane)))
    })
}

/// Components of a handle's force that can differ from zero and one.
fn components(robot: &SymbolicRobot<'_>, (i, c): (usize, usize)) -> Vec<usize> {
    let body = &robot.bodies[i];
    let eliminated: Vec<usize> = body.columns[c..].iter().map(unit_index).collect();
    (0..6).filter(|k| !body.armature.is_zero() || !eliminated.contains(k)).collect()
}
