//! Rows of all contacts with the world: Jacobian, drift, and the derivatives of the rows' accelerations
//! (docs/math.md#contacts).
//!
//! Rows are in the contacts' own axes: of a point the three of its origin, of a plane all six of its frame.
//! One kernel has all contacts, which share sines, changes of frame and motions of bodies. Contacts of limbs
//! that are lanes of one body are lanes too.

use super::frame_derivatives::columns;
use super::frames::{Frame, motion};
use super::rnea_derivatives::rnea_derivatives;
use super::robot::{Coordinates, SymbolicRobot, constant_transform};
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Force, Motion, Vec3};
use crate::signatures::contact_rows::{
    ContactRow, DRIFT, JACOBIAN_OF_ROWS, JT, ROW_FORCES, ROW_VELOCITY, ROWS_DQ, ROWS_DV, VELOCITIES_DQ,
};
use crate::signatures::signature::{A, DTAU_DQ, DTAU_DV, V};
use crate::tree::{self, Lane, Place, Tree};
use rbd_ir::graph::Expr;
use rbd_runtime::{ContactKind, ReferenceFrame};

/// The transposed Jacobian.
pub fn jacobian<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let mut jt = ExprMatrix::zeros(robot.tree.nv, rows(contacts));
    each_entry(robot, contacts, |row, dof, x| jt[(dof, row)] += x);
    draft.give(JT, jt);
}

/// The Jacobian.
pub fn rows_of_jacobian<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let mut jacobian = ExprMatrix::zeros(rows(contacts), robot.tree.nv);
    each_entry(robot, contacts, |row, dof, x| jacobian[(row, dof)] += x);
    draft.give(JACOBIAN_OF_ROWS, jacobian);
}

/// Visits entries of the Jacobian with their rows and degrees of freedom.
fn each_entry<'g>(
    robot: &SymbolicRobot<'g>,
    contacts: &[ContactRow],
    mut visit: impl FnMut(usize, usize, Expr<'g>),
) {
    for side in SideBySide::all(robot, contacts) {
        for (k, of_body) in side.jacobian().iter().enumerate() {
            for (c, column) in of_body.iter().enumerate() {
                side.each_dof((k, c), column, &mut visit);
            }
        }
    }
}

/// Velocities of the rows, and their accelerations at zero joint accelerations.
pub fn drift<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let [mut velocities, mut accelerations] = [0; 2].map(|_| ExprMatrix::zeros(rows(contacts), 1));
    for side in SideBySide::all(robot, contacts) {
        let (velocity, acceleration) = motion(&side.frame, &v, None);
        side.each_row(&velocity, |row, x| velocities[(row, 0)] = x);
        side.each_row(&side.of_rows(&velocity, &acceleration), |row, x| accelerations[(row, 0)] = x);
    }
    draft.give(ROW_VELOCITY, velocities);
    draft.give(DRIFT, accelerations);
}

/// Derivatives of the rows' accelerations by q and v at the accelerations a, and of their velocities by q.
pub fn derivatives<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let [v, a] = [V, A].map(|param| robot.coordinates(draft.param(param)));
    give_derivatives(robot, contacts, [&v, &a], draft);
}

/// [`derivatives`] beside those of inverse dynamics under forces of the contacts, which are constant in the
/// contacts' axes. Motions of bodies are shared.
pub fn with_torques<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let forces = draft.earlier(ROW_FORCES.name, ROW_FORCES);
    let [v, a] = [V, A].map(|param| robot.coordinates(draft.param(param)));
    let mut on_bodies: Vec<Option<Force>> = vec![None; robot.tree.bodies.len()];
    for side in SideBySide::all(robot, contacts) {
        let Some(&body) = side.frame.path.last() else { continue };
        let force = side.frame.tip.force_to_parent(side.force(|row| robot.graph.input(forces.0, row)));
        let sum = on_bodies[body].map_or(force, |others| others + force);
        on_bodies[body] = Some(sum);
    }
    let torques = rnea_derivatives(robot, &v, &a, |i| on_bodies[i]);
    draft.give(DTAU_DQ, torques.dtau_dq);
    draft.give(DTAU_DV, torques.dtau_dv);
    give_derivatives(robot, contacts, [&v, &a], draft);
}

fn give_derivatives<'g>(
    robot: &SymbolicRobot<'g>,
    contacts: &[ContactRow],
    [v, a]: [&Coordinates<'g>; 2],
    draft: &mut Draft<'g>,
) {
    let n = robot.tree.nv;
    let [mut by_q, mut by_v, mut velocities_by_q] = [0; 3].map(|_| ExprMatrix::zeros(rows(contacts), n));
    for side in SideBySide::all(robot, contacts) {
        let (velocity, _) = motion(&side.frame, v, None);
        for (k, of_body) in columns(&side.frame, v, Some(a)).iter().enumerate() {
            for (c, column) in of_body.iter().enumerate() {
                let dq = side.moved(&velocity, &column.velocity_dq, &column.acceleration_dq);
                let dv = side.moved(&velocity, &column.s, &column.acceleration_dv);
                side.each_dof((k, c), &dq, |row, dof, x| by_q[(row, dof)] += x);
                side.each_dof((k, c), &dv, |row, dof, x| by_v[(row, dof)] += x);
                side.each_dof((k, c), &column.velocity_dq, |row, dof, x| velocities_by_q[(row, dof)] += x);
            }
        }
    }
    draft.give(ROWS_DQ, by_q);
    draft.give(ROWS_DV, by_v);
    draft.give(VELOCITIES_DQ, velocities_by_q);
}

/// Number of rows of all contacts.
pub(super) fn rows(contacts: &[ContactRow]) -> usize {
    contacts.iter().map(|contact| contact.kind.rows()).sum()
}

/// Returns whether contacts can be lanes as the bodies of this tree are.
///
/// Limbs of which some lanes hang on other bodies than the rest are left out.
pub fn can_be_lanes(tree: &Tree, contacts: &[ContactRow]) -> bool {
    contacts.iter().filter_map(|contact| contact.frame.body).all(|body| {
        let body = tree.place_of(body).body;
        let lanes = 0..tree.bodies[body].lanes.len();
        let paths: Vec<Vec<Place>> = lanes.map(|lane| tree.path(Place { body, lane }).collect()).collect();
        let is_in_lane = |place: &Place, lane: usize| match tree.bodies[place.body].lanes.len() {
            1 => true,
            n => n == paths.len() && place.lane == lane,
        };
        let is_alike = |(lane, path): (usize, &Vec<Place>)| {
            path.len() == paths[0].len()
                && path
                    .iter()
                    .zip(&paths[0])
                    .all(|(p, of_first)| p.body == of_first.body && is_in_lane(p, lane))
        };
        paths.iter().enumerate().all(is_alike)
    })
}

/// A body, or the world, a type of contacts, and for each of the body's lanes its contact of that type.
type OnBody<'c> = (Option<usize>, ContactKind, Vec<Option<&'c ContactRow>>);

/// Contacts of one type on the lanes of one body, or a contact alone.
pub(super) struct SideBySide<'r, 'g> {
    pub kind: ContactKind,
    /// The frames of the contacts, in their own axes.
    pub frame: Frame<'r, 'g>,
    /// The first row of each lane's contact, if the lane has one.
    pub rows: Vec<Option<usize>>,
}

impl<'r, 'g> SideBySide<'r, 'g> {
    /// All contacts, as many side by side as there are in lanes.
    pub fn all(robot: &'r SymbolicRobot<'g>, contacts: &[ContactRow]) -> Vec<Self> {
        let mut all: Vec<OnBody> = Vec::new();
        for contact in contacts {
            let place = contact.frame.body.map(|body| robot.tree.place_of(body));
            let (body, lane) = (place.map(|p| p.body), place.map_or(0, |p| p.lane));
            let mut known = all.iter_mut().filter(|(on, kind, _)| *on == body && *kind == contact.kind);
            if let Some((_, _, lanes)) = known.find(|(_, _, lanes)| lanes[lane].is_none()) {
                lanes[lane] = Some(contact);
                continue;
            }
            let mut lanes = vec![None; body.map_or(1, |i| robot.tree.bodies[i].lanes.len())];
            lanes[lane] = Some(contact);
            all.push((body, contact.kind, lanes));
        }
        all.into_iter().map(|(body, kind, lanes)| Self::new(robot, body, kind, &lanes)).collect()
    }

    fn new(
        robot: &'r SymbolicRobot<'g>,
        body: Option<usize>,
        kind: ContactKind,
        lanes: &[Option<&ContactRow>],
    ) -> Self {
        let first = lanes.iter().flatten().next().expect("a contact is there");
        // A lane without a contact takes any frame: nothing of it is stored.
        let placement = |(lane, contact): (usize, &Option<&ContactRow>)| {
            let at = contact.unwrap_or(first).frame.placement;
            let in_urdf_frame = body.map(|i| &robot.tree.bodies[i].lanes[lane].in_urdf_frame);
            in_urdf_frame.map_or(at, |of| tree::compose(&tree::inverse(of), &at))
        };
        let placements: Vec<_> = lanes.iter().enumerate().map(placement).collect();
        let root = body.map(|body| Place { body, lane: 0 });
        let mut path: Vec<usize> =
            root.into_iter().flat_map(|p| robot.tree.path(p)).map(|p| p.body).collect();
        path.reverse();
        let tip = constant_transform(robot.graph, &placements);
        let frame = Frame { robot, path, tip, reference: ReferenceFrame::Local };
        Self { kind, frame, rows: lanes.iter().map(|contact| contact.map(|contact| contact.row)).collect() }
    }

    /// Columns of the Jacobian for the bodies on the path.
    pub fn jacobian(&self) -> Vec<Vec<Motion<'g>>> {
        let placements = self.frame.inward_placements();
        let of_body = |(k, i): (usize, &usize)| {
            let columns = self.frame.robot.bodies[*i].columns.iter();
            columns.map(|s| placements[k].act_inv_motion(*s)).collect()
        };
        self.frame.path.iter().enumerate().map(of_body).collect()
    }

    /// Visits the rows of all contacts here.
    pub fn each_row(&self, x: &Motion<'g>, mut visit: impl FnMut(usize, Expr<'g>)) {
        for (lane, first) in self.rows.iter().enumerate() {
            let Some(first) = first else { continue };
            for row in 0..self.kind.rows() {
                visit(first + row, x.component(row).lane(lane));
            }
        }
    }

    /// The force of the contacts here, from those of all rows.
    fn force(&self, of_row: impl Fn(usize) -> Expr<'g>) -> Force<'g> {
        let component = |row: usize| {
            let of_lane = |first: &Option<usize>| match first {
                Some(first) if row < self.kind.rows() => of_row(first + row),
                _ => Expr::ZERO,
            };
            let lanes: Vec<Expr> = self.rows.iter().map(of_lane).collect();
            self.frame.robot.graph.gather(&lanes)
        };
        Force { lin: Vec3([0, 1, 2].map(component)), ang: Vec3([3, 4, 5].map(component)) }
    }

    /// Visits the rows of all contacts here with their degrees of freedom that are column `c` of the `k`-th
    /// body on the path.
    pub fn each_dof(
        &self,
        (k, c): (usize, usize),
        x: &Motion<'g>,
        mut visit: impl FnMut(usize, usize, Expr<'g>),
    ) {
        self.each_joint((k, c), x, |row, joint, x| {
            visit(row, joint.idx_v + c, x * Expr::constant(joint.multiplier));
        });
    }

    /// [`Self::each_dof`] for quantities of joints, which may turn the other way than their coordinates.
    pub fn each_joint(
        &self,
        (k, _): (usize, usize),
        x: &Motion<'g>,
        mut visit: impl FnMut(usize, &Lane, Expr<'g>),
    ) {
        let lanes = &self.frame.robot.tree.bodies[self.frame.path[k]].lanes;
        for (lane, first) in self.rows.iter().enumerate() {
            let Some(first) = first else { continue };
            let joint = &lanes[if lanes.len() == 1 { 0 } else { lane }];
            for row in 0..self.kind.rows() {
                visit(first + row, joint, x.component(row).lane(lane));
            }
        }
    }

    /// Acceleration of the rows: of a point its classical one, of a plane the spatial one.
    pub fn of_rows(&self, velocity: &Motion<'g>, acceleration: &Motion<'g>) -> Motion<'g> {
        match self.kind {
            ContactKind::Point => {
                Motion { lin: acceleration.lin + velocity.ang.cross(velocity.lin), ..*acceleration }
            }
            ContactKind::Plane => *acceleration,
        }
    }

    /// Change of the acceleration of the rows, if velocity and spatial acceleration change so.
    fn moved(
        &self,
        velocity: &Motion<'g>,
        by_velocity: &Motion<'g>,
        by_acceleration: &Motion<'g>,
    ) -> Motion<'g> {
        match self.kind {
            ContactKind::Point => {
                let turned = by_velocity.ang.cross(velocity.lin) + velocity.ang.cross(by_velocity.lin);
                Motion { lin: by_acceleration.lin + turned, ..*by_acceleration }
            }
            ContactKind::Plane => *by_acceleration,
        }
    }
}
