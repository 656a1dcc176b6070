//! Contacts, as kernels of all rows take them, and the results of these kernels.

use super::frames::{ContactAt, FrameAt};
use super::signature::{Dim, Dims, Output};
use rbd_runtime::{ContactKind, Model, ReferenceFrame};

const fn output(name: &'static str, shape: Dims, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape, symmetric: false, unit, doc }
}

/// Jacobian of all rows, a row a column.
pub const JT: Output =
    output("jt", Dims::Matrix(Dim::Nv, Dim::Nr), "m/rad, 1", "velocities of the rows by v, transposed");
/// Jacobian of all rows.
pub const JACOBIAN_OF_ROWS: Output =
    output("jacobian", Dims::Matrix(Dim::Nr, Dim::Nv), "m/rad, 1", "velocities of the rows by v");
/// Velocity of all rows.
pub const ROW_VELOCITY: Output =
    output("row_velocity", Dims::Vector(Dim::Nr), "m/s, rad/s", "velocities of the rows");
/// Acceleration of all rows at zero joint accelerations.
pub const DRIFT: Output = output(
    "drift",
    Dims::Vector(Dim::Nr),
    "m/s^2, rad/s^2",
    "accelerations of the rows at zero joint accelerations",
);
/// Derivative of the rows' accelerations by the configuration.
pub const ROWS_DQ: Output = output(
    "rows_dq",
    Dims::Matrix(Dim::Nr, Dim::Nv),
    "1/s^2",
    "derivative of the rows' accelerations in the tangent space of q",
);
/// Derivative of the rows' accelerations by the velocity.
pub const ROWS_DV: Output =
    output("rows_dv", Dims::Matrix(Dim::Nr, Dim::Nv), "1/s", "derivative of the rows' accelerations by v");
/// Derivative of the rows' velocities by the configuration.
pub const VELOCITIES_DQ: Output = output(
    "velocities_dq",
    Dims::Matrix(Dim::Nr, Dim::Nv),
    "1/s",
    "derivative of the rows' velocities in the tangent space of q",
);
/// Entries of L below the diagonal in `M = L^T D L`, or the entries of `U D^-1` of articulated bodies.
pub const UNIT_FACTORS: Output =
    output("unit_factors", Dims::Vector(Dim::Nf), "1", "entries of L below the diagonal, or of U D^-1");
/// Diagonal of `D^-1` in `M = L^T D L`.
pub const PIVOTS: Output = output("pivots", Dims::Vector(Dim::Nv), "1/(kg m^2)", "diagonal of D^-1");
/// `L^-T (tau - b)`, and with forces f of the contacts `L^-T (tau - b + J^T f)`.
pub const REDUCED_TORQUES: Output =
    output("reduced", Dims::Vector(Dim::Nv), "N m", "torques of articulated bodies");
/// `J L^-1`, of which an entry differs from zero where one of J does.
pub const PATHS: Output = output(
    "paths",
    Dims::Matrix(Dim::Nr, Dim::Nv),
    "m/rad, 1",
    "velocities of the rows by those of articulated bodies",
);
/// Acceleration of all rows without forces of contacts.
pub const FREE_ROWS: Output = output(
    "free_rows",
    Dims::Vector(Dim::Nr),
    "m/s^2, rad/s^2",
    "accelerations of the rows without forces of contacts",
);
/// Forces of the contacts on the robot, row by row.
pub const ROW_FORCES: Output =
    output("forces", Dims::Vector(Dim::Nr), "N, N m", "forces of the contacts on the robot");
/// Which contacts are active.
pub const ACTIVITY: Output =
    output("activity", Dims::Vector(Dim::Nc), "1", "1 for each active contact, 0 for the others");
/// Baumgarte's pull on the rows, `kp e`.
pub const PULLS: Output =
    output("pulls", Dims::Vector(Dim::Nr), "m/s^2, rad/s^2", "terms of the rows from their distances");
/// Settings of constrained bodies.
pub const GAINS: Output = output("gains", Dims::Vector(Dim::Fixed(2)), "1/s, 1/kg", "Baumgarte's kd, and mu");
/// How far each row is from holding.
pub const ROW_RESIDUAL: Output =
    output("residual", Dims::Vector(Dim::Nr), "m/s^2, rad/s^2", "how far each row is from holding");
/// How nearly rows of active contacts depend on the rows before them, when limbs alone move them.
pub const DEPENDENCE: Output = output(
    "dependence",
    Dims::Vector(Dim::Fixed(1)),
    "1",
    "sum of squares of quotients of traces and pivots of the limbs' Delassus matrices",
);

/// A contact or a closed loop, as its rows are traced.
#[derive(Clone, Copy, Debug)]
pub struct ContactRow {
    /// The rows that it has.
    pub kind: ContactKind,
    /// Number of the first row.
    pub row: usize,
    /// Frame of the contact, in its own axes.
    pub frame: FrameAt,
    /// Second frame of a closed loop, with which the first is to coincide.
    pub second: Option<FrameAt>,
}

impl ContactRow {
    /// All contacts and closed loops of a robot.
    pub fn all(model: &Model<f64>, contacts: &[ContactAt]) -> Vec<Self> {
        let mut row = 0;
        let frame_at = |index: usize| {
            let frame = &model.frames[index];
            let (body, placement) = (frame.body, frame.placement);
            FrameAt { index, body, placement, reference: ReferenceFrame::Local }
        };
        let of = |contact: &ContactAt| {
            let first = row;
            row += contact.kind.rows();
            let (frame, second) = (frame_at(contact.frame), contact.second.map(frame_at));
            Self { kind: contact.kind, row: first, frame, second }
        };
        contacts.iter().map(of).collect()
    }
}
