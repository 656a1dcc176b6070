//! Rows of all contacts and closed loops: Jacobian, drift, and the derivatives of the rows' accelerations
//! (docs/math.md#contacts).
//!
//! Rows are in the contacts' own axes: of a point the three of its origin, of a plane all six of its frame.
//! Rows of closed loops are the motion relative to the second frames (`second_frames.rs`).
//! One kernel has all contacts, which share sines, changes of frame and motions of bodies. Contacts of limbs
//! that are lanes of one body are lanes too.

use super::frame_derivatives::{Columns, columns};
use super::frames::{Frame, motion};
use super::rnea_derivatives::rnea_derivatives;
use super::robot::{Coordinates, SymbolicRobot, constant_transform};
use super::root_columns::RootColumns;
use super::second_frames::{Moved, Second};
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Force, Motion, Vec3};
use crate::signatures::contact_rows::{
    ContactRow, DRIFT, JACOBIAN_OF_ROWS, JT, ROW_FORCES, ROW_VELOCITY, ROWS_DQ, ROWS_DV, VELOCITIES_DQ,
};
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{A, DTAU_DQ, DTAU_DV, V};
use crate::tree::{self, Lane, Place, Tree};
use rbd_ir::graph::Expr;
use rbd_runtime::{ContactKind, ReferenceFrame};
use std::collections::BTreeMap;

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
        for (at, column) in side.jacobian() {
            side.each_dof(at, &column, &mut visit);
        }
    }
}

/// Velocities of the rows, and their accelerations at zero joint accelerations.
pub fn drift<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let [mut velocities, mut accelerations] = [0; 2].map(|_| ExprMatrix::zeros(rows(contacts), 1));
    for side in SideBySide::all(robot, contacts) {
        let [velocity, acceleration] = side.motion(&v);
        side.each_row(&velocity, |row, x| velocities[(row, 0)] = x);
        side.each_row(&acceleration, |row, x| accelerations[(row, 0)] = x);
    }
    draft.give(ROW_VELOCITY, velocities);
    draft.give(DRIFT, accelerations);
}

/// Derivatives of the rows' accelerations by q and v at the accelerations a, and of their velocities by q.
pub fn derivatives<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let [v, a] = [V, A].map(|param| robot.coordinates(draft.param(param)));
    give_derivatives(robot, contacts, [&v, &a], None, draft);
}

/// [`derivatives`] beside those of inverse dynamics under forces of the contacts, which are constant in the
/// contacts' axes. Motions of bodies are shared.
pub fn with_torques<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    torques_and_rows(robot, contacts, draft, false);
}

/// [`with_torques`] of a robot whose floating root's columns are known (docs/math.md#root-columns).
///
/// In place of the torques' changes these columns have what the accelerations change by, in addition to what
/// the rows ask for.
pub fn with_torques_beside_root<'g>(
    robot: &SymbolicRobot<'g>,
    contacts: &[ContactRow],
    draft: &mut Draft<'g>,
) {
    torques_and_rows(robot, contacts, draft, true);
}

fn torques_and_rows<'g>(
    robot: &SymbolicRobot<'g>,
    contacts: &[ContactRow],
    draft: &mut Draft<'g>,
    knows_root: bool,
) {
    let forces = draft.earlier(ROW_FORCES.name, ROW_FORCES);
    let [v, a] = [V, A].map(|param| robot.coordinates(draft.param(param)));
    let mut on_bodies: Vec<Option<Force>> = vec![None; robot.tree.bodies.len()];
    let mut put = |frame: &Frame<'_, 'g>, force: Force<'g>| {
        let Some(&body) = frame.path.last() else { return };
        let force = frame.tip.force_to_parent(force);
        let sum = on_bodies[body].map_or(force, |others| others + force);
        on_bodies[body] = Some(sum);
    };
    let sides = SideBySide::all(robot, contacts);
    let force_of = |side: &SideBySide<'_, 'g>| side.force(|row| robot.graph.input(forces.0, row));
    for side in &sides {
        let force = force_of(side);
        put(&side.frame, force);
        if let Some(second) = &side.second {
            put(&second.frame, second.reaction(force));
        }
    }
    let mut torques = rnea_derivatives(robot, &v, &a, |i| on_bodies[i]);
    for side in &sides {
        side.each_turn(force_of(side), |[row, column], x| torques.dtau_dq[(row, column)] += x);
    }
    let root = knows_root.then(|| RootColumns::of(robot, &v));
    if let Some((of_q, of_v)) = &root {
        of_q.replace_in(&mut torques.dtau_dq);
        of_v.replace_in(&mut torques.dtau_dv);
    }
    draft.give(DTAU_DQ, torques.dtau_dq);
    draft.give(DTAU_DV, torques.dtau_dv);
    give_derivatives(robot, contacts, [&v, &a], root.as_ref(), draft);
}

/// With a `root` whose columns are known, rows have there what is left for the accelerations to cancel.
fn give_derivatives<'g>(
    robot: &SymbolicRobot<'g>,
    contacts: &[ContactRow],
    [v, a]: [&Coordinates<'g>; 2],
    root: Option<&(RootColumns<'g>, RootColumns<'g>)>,
    draft: &mut Draft<'g>,
) {
    let n = robot.tree.nv;
    let [mut by_q, mut by_v, mut velocities_by_q] = [0; 3].map(|_| ExprMatrix::zeros(rows(contacts), n));
    for side in SideBySide::all(robot, contacts) {
        for (at, moved) in side.moved(v, a) {
            side.each_dof(at, &moved.rows_dq, |row, dof, x| by_q[(row, dof)] += x);
            side.each_dof(at, &moved.rows_dv, |row, dof, x| by_v[(row, dof)] += x);
            side.each_dof(at, &moved.velocities_dq, |row, dof, x| velocities_by_q[(row, dof)] += x);
        }
    }
    if let Some((of_q, of_v)) = root {
        let mut jacobian = ExprMatrix::zeros(rows(contacts), n);
        each_entry(robot, contacts, |row, dof, x| jacobian[(row, dof)] += x);
        for row in 0..rows(contacts) {
            // Rows do not turn with the robot, but gravity does, and with it the accelerations.
            for (column, entries) in of_q.columns() {
                by_q[(row, column)] = entries.iter().map(|(dof, x)| jacobian[(row, *dof)] * *x).sum();
            }
            of_v.columns().for_each(|(column, _)| by_v[(row, column)] = Expr::ZERO);
        }
        // The root's accelerations cancel `w x v`: points keep theirs, and so do planes but for a spatial
        // acceleration's own `-w x v`.
        for side in SideBySide::all(robot, contacts).iter().filter(|side| side.kind == ContactKind::Plane) {
            let [velocity, _] = side.motion(v);
            for (at, column) in side.jacobian() {
                let left = Motion { lin: column.lin.cross(velocity.ang), ang: Vec3::ZERO };
                side.each_dof(at, &left, |row, dof, x| {
                    if of_v.columns().any(|(known, _)| known == dof) {
                        by_v[(row, dof)] = x;
                    }
                });
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
/// Limbs of which some lanes hang on other bodies than the rest are left out, and closed loops from lane to
/// lane.
pub fn can_be_lanes(tree: &Tree, contacts: &[ContactRow]) -> bool {
    let are_alike = |body: usize| {
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
    };
    let is_in_one_lane = |contact: &ContactRow| {
        let mut places = frames(contact).filter_map(|frame| frame.body).map(|body| tree.place_of(body));
        let lane = |place: Place| (place.lane, tree.bodies[place.body].lanes.len());
        let first = places.next().map(lane);
        places.all(|place| first == Some(lane(place)))
    };
    contacts.iter().all(is_in_one_lane)
        && contacts.iter().flat_map(frames).filter_map(|frame| frame.body).all(are_alike)
}

/// The frame of a contact, of a closed loop both.
fn frames(contact: &ContactRow) -> impl Iterator<Item = &FrameAt> {
    std::iter::once(&contact.frame).chain(&contact.second)
}

/// Common properties of contacts that are lanes: type, and the bodies of their frames, or the world.
#[derive(PartialEq)]
struct Common {
    kind: ContactKind,
    body: Option<usize>,
    /// Body of a closed loop's second frame, `Some(None)` for the world.
    second: Option<Option<usize>>,
}

/// Contacts of one type on the lanes of one body, closed loops between the lanes of two, or a contact alone.
pub(super) struct SideBySide<'r, 'g> {
    pub kind: ContactKind,
    /// The frames of the contacts, in their own axes.
    pub frame: Frame<'r, 'g>,
    /// Second frames of closed loops, with which the first ones are to coincide.
    pub second: Option<Second<'r, 'g>>,
    /// The first row of each lane's contact, if the lane has one.
    pub rows: Vec<Option<usize>>,
}

/// Body and column of its motion subspace.
type At = (usize, usize);

impl<'r, 'g> SideBySide<'r, 'g> {
    /// All contacts, as many side by side as there are in lanes.
    pub fn all(robot: &'r SymbolicRobot<'g>, contacts: &[ContactRow]) -> Vec<Self> {
        let mut all: Vec<(Common, Vec<Option<&ContactRow>>)> = Vec::new();
        for contact in contacts {
            let place = |frame: &FrameAt| frame.body.map(|body| robot.tree.place_of(body));
            let common = Common {
                kind: contact.kind,
                body: place(&contact.frame).map(|p| p.body),
                second: contact.second.as_ref().map(|frame| place(frame).map(|p| p.body)),
            };
            let on_body = frames(contact).find_map(place);
            let lane = on_body.map_or(0, |p| p.lane);
            let mut known = all.iter_mut().filter(|(of, _)| *of == common);
            if let Some((_, lanes)) = known.find(|(_, lanes)| lanes[lane].is_none()) {
                lanes[lane] = Some(contact);
                continue;
            }
            let mut lanes = vec![None; on_body.map_or(1, |p| robot.tree.bodies[p.body].lanes.len())];
            lanes[lane] = Some(contact);
            all.push((common, lanes));
        }
        all.into_iter().map(|(common, lanes)| Self::new(robot, &common, &lanes)).collect()
    }

    fn new(robot: &'r SymbolicRobot<'g>, common: &Common, lanes: &[Option<&ContactRow>]) -> Self {
        let first = lanes.iter().flatten().next().expect("a contact is there");
        // A lane without a contact takes any frame: nothing of it is stored.
        let all = || lanes.iter().map(|contact| contact.unwrap_or(first));
        let frame = frame_in_lanes(robot, common.body, all().map(|contact| contact.frame));
        let second = common.second.map(|body| {
            let of_seconds = frame_in_lanes(robot, body, all().filter_map(|contact| contact.second));
            Second::new(common.kind, &frame, of_seconds)
        });
        let rows = lanes.iter().map(|contact| contact.map(|contact| contact.row)).collect();
        Self { kind: common.kind, frame, second, rows }
    }

    /// Quantities of the joints on the way to the two frames, by body and column, root first.
    fn columns<T>(&self, of: impl Fn(&Frame<'r, 'g>) -> Vec<Vec<T>>) -> Vec<(At, [Option<T>; 2])> {
        let mut all = BTreeMap::new();
        let frames = std::iter::once(&self.frame).chain(self.second.iter().map(|second| &second.frame));
        for (which, frame) in frames.enumerate() {
            for (body, of_body) in frame.path.iter().zip(of(frame)) {
                for (c, column) in of_body.into_iter().enumerate() {
                    all.entry((*body, c)).or_insert_with(|| [None, None])[which] = Some(column);
                }
            }
        }
        all.into_iter().collect()
    }

    /// Columns of the Jacobian for the bodies on the way.
    pub fn jacobian(&self) -> Vec<(At, Motion<'g>)> {
        let columns = self.columns(jacobian_in_own_axes).into_iter();
        columns.map(|(at, columns)| (at, self.relative_column(columns))).collect()
    }

    /// The motion of the rows by a joint that moves first frames, second ones or both like this.
    fn relative_column(&self, [first, second]: [Option<Motion<'g>>; 2]) -> Motion<'g> {
        match (&self.second, first, second) {
            (Some(frames), Some(first), Some(_)) => frames.of_both(first),
            (Some(frames), None, Some(second)) => -frames.see(second),
            _ => first.unwrap_or(Motion::ZERO),
        }
    }

    /// Velocities of the rows, and their accelerations at zero joint accelerations.
    pub fn motion(&self, v: &Coordinates<'g>) -> [Motion<'g>; 2] {
        let (velocity, acceleration) = motion(&self.frame, v, None);
        let of_first = [velocity, of_rows(self.kind, &velocity, &acceleration)];
        match &self.second {
            Some(second) => second.relative(&second.motion(v, None), of_first),
            None => of_first,
        }
    }

    /// Changes of the rows along the coordinates on the way.
    fn moved(&self, v: &Coordinates<'g>, a: &Coordinates<'g>) -> Vec<(At, Moved<'g>)> {
        let (velocity, _) = motion(&self.frame, v, None);
        let second = self.second.as_ref().map(|second| (second, second.motion(v, Some(a))));
        let of_column = |(at, columns): (At, [Option<Columns<'g>>; 2])| {
            let apart = self.relative_column(columns.map(|column| column.map(|column| column.s)));
            let is_of_both = columns.iter().all(Option::is_some);
            let [first, other] = columns.map(|column| column.unwrap_or(Columns::ZERO));
            let of_first = Moved {
                rows_dq: of_rows_moved(self.kind, &velocity, &first.velocity_dq, &first.acceleration_dq),
                rows_dv: of_rows_moved(self.kind, &velocity, &first.s, &first.acceleration_dv),
                velocities_dq: first.velocity_dq,
            };
            match &second {
                // Planes do not see joints that move both.
                Some(_) if is_of_both && self.kind == ContactKind::Plane => None,
                Some((second, of)) => Some((at, second.moved(of, velocity, (apart, &other), of_first))),
                None => Some((at, of_first)),
            }
        };
        self.columns(|frame| columns(frame, v, Some(a))).into_iter().filter_map(of_column).collect()
    }

    /// Visits changes of the torques with the coordinates since second frames see these forces turn: rows and
    /// columns of degrees of freedom.
    fn each_turn(&self, force: Force<'g>, mut visit: impl FnMut([usize; 2], Expr<'g>)) {
        let Some(second) = &self.second else { return };
        let columns = self.columns(jacobian_in_own_axes);
        for (j, of_j) in &columns {
            let turned = second.turn(self.relative_column(*of_j)).cross_force(force);
            for (i, [_, of_i]) in &columns {
                let Some(of_i) = of_i else { continue };
                let x = second.see(*of_i).dot(turned);
                for lane in self.rows.iter().enumerate().filter_map(|(lane, row)| row.map(|_| lane)) {
                    let [row, column] = [i, j].map(|at| (self.joint(*at, lane), at.1));
                    let ratio = Expr::constant(row.0.multiplier * column.0.multiplier);
                    visit([row, column].map(|(joint, c)| joint.idx_v + c), x.lane(lane) * ratio);
                }
            }
        }
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

    /// Forces on the bodies of the frames for a unit of each row's force, in the bodies' frames.
    pub fn unit_forces(&self) -> BTreeMap<usize, Vec<Force<'g>>> {
        let unit = |row: usize| Force::by_components(|k| if k == row { Expr::ONE } else { Expr::ZERO });
        let units = || (0..self.kind.rows()).map(unit);
        let mut on_bodies: BTreeMap<usize, Vec<Force>> = BTreeMap::new();
        let mut put = |frame: &Frame<'_, 'g>, forces: &mut dyn Iterator<Item = Force<'g>>| {
            let Some(&body) = frame.path.last() else { return };
            let on_body = on_bodies.entry(body).or_insert_with(|| vec![Force::ZERO; self.kind.rows()]);
            for (sum, force) in on_body.iter_mut().zip(forces) {
                *sum += frame.tip.force_to_parent(force);
            }
        };
        put(&self.frame, &mut units());
        if let Some(second) = &self.second {
            put(&second.frame, &mut units().map(|unit| second.reaction(unit)));
        }
        on_bodies
    }

    /// The force of the contacts here, from those of all rows.
    pub fn force(&self, of_row: impl Fn(usize) -> Expr<'g>) -> Force<'g> {
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

    /// Visits the rows of all contacts here with their degrees of freedom that are this column.
    pub fn each_dof(&self, at: At, x: &Motion<'g>, mut visit: impl FnMut(usize, usize, Expr<'g>)) {
        self.each_joint(at, x, |row, joint, x| {
            visit(row, joint.idx_v + at.1, x * Expr::constant(joint.multiplier));
        });
    }

    /// [`Self::each_dof`] for quantities of joints, which may turn the other way than their coordinates.
    pub fn each_joint(&self, at: At, x: &Motion<'g>, mut visit: impl FnMut(usize, &Lane, Expr<'g>)) {
        for (lane, first) in self.rows.iter().enumerate() {
            let Some(first) = first else { continue };
            for row in 0..self.kind.rows() {
                visit(first + row, self.joint(at, lane), x.component(row).lane(lane));
            }
        }
    }

    /// The joint that moves a lane's contact by this column.
    fn joint(&self, (body, _): At, lane: usize) -> &'r Lane {
        let lanes = &self.frame.robot.tree.bodies[body].lanes;
        &lanes[if lanes.len() == 1 { 0 } else { lane }]
    }
}

/// A frame with these placements in the lanes of a body, or in the world.
fn frame_in_lanes<'r, 'g>(
    robot: &'r SymbolicRobot<'g>,
    body: Option<usize>,
    frames: impl Iterator<Item = FrameAt>,
) -> Frame<'r, 'g> {
    let placement = |(lane, frame): (usize, FrameAt)| {
        let in_urdf_frame = body.map(|i| &robot.tree.bodies[i].lanes[lane].in_urdf_frame);
        in_urdf_frame.map_or(frame.placement, |of| tree::compose(&tree::inverse(of), &frame.placement))
    };
    let placements: Vec<_> = frames.enumerate().map(placement).collect();
    let root = body.map(|body| Place { body, lane: 0 });
    let mut path: Vec<usize> = root.into_iter().flat_map(|p| robot.tree.path(p)).map(|p| p.body).collect();
    path.reverse();
    let tip = constant_transform(robot.graph, &placements);
    Frame { robot, path, tip, reference: ReferenceFrame::Local }
}

/// Columns of a frame's Jacobian for the bodies on its path.
fn jacobian_in_own_axes<'g>(frame: &Frame<'_, 'g>) -> Vec<Vec<Motion<'g>>> {
    let placements = frame.inward_placements();
    let of_body = |(k, i): (usize, &usize)| {
        frame.robot.bodies[*i].columns.iter().map(|s| placements[k].act_inv_motion(*s)).collect()
    };
    frame.path.iter().enumerate().map(of_body).collect()
}

/// Acceleration of rows: of a point its classical one, of a plane the spatial one.
pub(super) fn of_rows<'g>(kind: ContactKind, velocity: &Motion<'g>, acceleration: &Motion<'g>) -> Motion<'g> {
    match kind {
        ContactKind::Point => {
            Motion { lin: acceleration.lin + velocity.ang.cross(velocity.lin), ..*acceleration }
        }
        ContactKind::Plane => *acceleration,
    }
}

/// Change of the acceleration of rows, if velocity and spatial acceleration of their frame change so.
pub(super) fn of_rows_moved<'g>(
    kind: ContactKind,
    velocity: &Motion<'g>,
    by_velocity: &Motion<'g>,
    by_acceleration: &Motion<'g>,
) -> Motion<'g> {
    match kind {
        ContactKind::Point => {
            let turned = by_velocity.ang.cross(velocity.lin) + velocity.ang.cross(by_velocity.lin);
            Motion { lin: by_acceleration.lin + turned, ..*by_acceleration }
        }
        ContactKind::Plane => *by_acceleration,
    }
}
