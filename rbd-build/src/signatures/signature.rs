//! Arguments and results of functions: the vocabulary of the table of
//! [`functions`](crate::table::functions).
//!
//! Each quantity is a single constant of type [`Param`] or [`Output`]. The algorithm that computes
//! [`DTAU_DQ`], the plan that assigns its memory and the text that declares it therefore mean the
//! same quantity.

use crate::signatures::frames::ContactAt;
use rbd_runtime::Model;

/// A size that depends on the robot, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// Configuration coordinates.
    Nq,
    /// Velocity coordinates.
    Nv,
    /// Moving bodies.
    Nb,
    /// Inertias that are given at run time.
    Np,
    /// Contacts and closed loops.
    Nc,
    /// Rows of all contacts.
    Nr,
    /// Entries of the mass matrix's factor below the diagonal.
    Nf,
    /// A number that all robots share.
    Fixed(usize),
}

/// One robot's sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Configuration coordinates.
    pub nq: usize,
    /// Velocity coordinates.
    pub nv: usize,
    /// Moving bodies.
    pub nb: usize,
    /// Inertias that are given at run time.
    pub np: usize,
    /// Contacts and closed loops.
    pub nc: usize,
    /// Rows of all contacts.
    pub nr: usize,
    /// Entries of the mass matrix's factor below the diagonal, of a robot with contacts.
    pub nf: usize,
}

impl From<&Model<f64>> for Sizes {
    fn from(model: &Model<f64>) -> Self {
        let (nb, np) = (model.bodies.len(), model.run_time.inertias.len());
        Self { nq: model.nq, nv: model.nv, nb, np, ..Self::default() }
    }
}

impl Sizes {
    /// Sizes of a robot with these contacts.
    pub fn with_contacts(self, contacts: &[ContactAt]) -> Self {
        let nr = contacts.iter().map(|contact| contact.kind.rows()).sum();
        Self { nc: contacts.len(), nr, ..self }
    }
}

impl Dim {
    /// The dimension's value for this robot.
    pub fn of(self, sizes: Sizes) -> usize {
        match self {
            Self::Nq => sizes.nq,
            Self::Nv => sizes.nv,
            Self::Nb => sizes.nb,
            Self::Np => sizes.np,
            Self::Nc => sizes.nc,
            Self::Nr => sizes.nr,
            Self::Nf => sizes.nf,
            Self::Fixed(n) => n,
        }
    }
}

/// Shape of an argument or a result. Storage is by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// One number.
    Scalar,
    /// A column.
    Vector(Dim),
    /// Rows and columns.
    Matrix(Dim, Dim),
    /// Rows, columns, and number of such matrices, one after the other.
    Tensor(Dim, Dim, Dim),
    /// The pose of a frame: a rotation, and a translation as the fourth column.
    Placement,
    /// Placements of so many frames.
    Placements(Dim),
}

impl Dims {
    /// Numbers of rows and of columns; a tensor's matrices stand side by side.
    pub fn extent(self, sizes: Sizes) -> (usize, usize) {
        let n = |dim: Dim| dim.of(sizes);
        match self {
            Self::Scalar => (1, 1),
            Self::Vector(rows) => (n(rows), 1),
            Self::Matrix(rows, columns) => (n(rows), n(columns)),
            Self::Tensor(rows, columns, slices) => (n(rows), n(columns) * n(slices)),
            Self::Placement => (3, 4),
            Self::Placements(slices) => (3, 4 * n(slices)),
        }
    }

    /// True if entries of such a result that are zero in every state may be left alone.
    pub fn leaves_zeros(self) -> bool {
        matches!(self, Self::Matrix(..) | Self::Tensor(..))
    }
}

/// Space of a parameter, which is more than its shape: two vectors of equal size need not be of one
/// space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A point of the configuration manifold.
    Configuration,
    /// A velocity, an acceleration or torques: over the degrees of freedom.
    Tangent,
    /// `[force; moment]` on each moving body, in its joint frame.
    Forces,
    /// The ten parameters of each inertia that is given at run time.
    Inertias,
    /// The gravitational acceleration in the world, as one row of three numbers.
    Gravity,
}

impl Kind {
    /// Returns whether it is given in addition to a function's own parameters, by an option of the
    /// robot.
    pub const fn is_given(self) -> bool {
        matches!(self, Self::Inertias | Self::Gravity)
    }

    /// Shape of the argument.
    pub const fn shape(self) -> Dims {
        match self {
            Self::Configuration => Dims::Vector(Dim::Nq),
            Self::Tangent => Dims::Vector(Dim::Nv),
            Self::Forces => Dims::Matrix(Dim::Fixed(6), Dim::Nb),
            Self::Inertias => Dims::Matrix(Dim::Fixed(10), Dim::Np),
            Self::Gravity => Dims::Matrix(Dim::Fixed(3), Dim::Fixed(1)),
        }
    }
}

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name in the signature.
    pub name: &'static str,
    /// Space of the argument.
    pub kind: Kind,
    /// Short description, with the unit.
    pub doc: &'static str,
}

/// A result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Name in the result.
    pub name: &'static str,
    /// Shape of the result.
    pub shape: Dims,
    /// True if the matrix is its own transpose.
    pub symmetric: bool,
    /// Unit for coordinates that turn; for those that slide, m stands for rad and N for N m.
    pub unit: &'static str,
    /// Short description.
    pub doc: &'static str,
}

/// Configuration.
pub const Q: Param =
    Param { name: "q", kind: Kind::Configuration, doc: "configuration; rad, m, unit quaternions x, y, z, w" };
/// Velocity.
pub const V: Param = Param { name: "v", kind: Kind::Tangent, doc: "velocity; rad/s, m/s" };
/// Acceleration.
pub const A: Param = Param { name: "a", kind: Kind::Tangent, doc: "acceleration; rad/s^2, m/s^2" };
/// Joint torques.
pub const TAU_GIVEN: Param =
    Param { name: "tau", kind: Kind::Tangent, doc: "joint torques and forces; N m, N" };
/// External forces.
pub const FEXT: Param = Param {
    name: "fext",
    kind: Kind::Forces,
    doc: "the force on each moving body, `[force; moment]` in its joint frame; N, N m",
};

/// Inertias that are given at run time.
pub const INERTIA: Param = Param {
    name: "inertia",
    kind: Kind::Inertias,
    doc: "m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz of each inertia; kg, kg m, kg m^2",
};
/// Gravity that is given at run time.
pub const GRAVITY: Param =
    Param { name: "gravity", kind: Kind::Gravity, doc: "gravitational acceleration in the world; m/s^2" };

const fn vector(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape: Dims::Vector(Dim::Nv), symmetric: false, unit, doc }
}

const fn matrix(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape: Dims::Matrix(Dim::Nv, Dim::Nv), symmetric: false, unit, doc }
}

const fn symmetric(output: Output) -> Output {
    Output { symmetric: true, ..output }
}

/// Joint torques.
pub const TAU: Output = vector("tau", "N m", "joint torques");
/// Accelerations.
pub const DDQ: Output = vector("ddq", "rad/s^2", "joint accelerations");
/// The mass matrix.
pub const M: Output = symmetric(matrix("m", "kg m^2", "mass matrix"));
/// Inverse of the mass matrix.
pub const MINV: Output = symmetric(matrix("minv", "1/(kg m^2)", "inverse of the mass matrix"));
/// Derivative of the torques by the configuration.
pub const DTAU_DQ: Output =
    matrix("dtau_dq", "N m/rad", "derivative of the torques in the tangent space of q");
/// Derivative of the torques by the velocity.
pub const DTAU_DV: Output = matrix("dtau_dv", "N m s/rad", "derivative of the torques by the velocity");
/// Derivative of the torques by the acceleration.
pub const DTAU_DA: Output =
    symmetric(matrix("dtau_da", "kg m^2", "derivative of the torques by the acceleration, M(q)"));
/// Derivative of the accelerations by the configuration.
pub const DDQ_DQ: Output =
    matrix("ddq_dq", "1/s^2", "derivative of the accelerations in the tangent space of q");
/// Derivative of the accelerations by the velocity.
pub const DDQ_DV: Output = matrix("ddq_dv", "1/s", "derivative of the accelerations by the velocity");
/// Derivative of the accelerations by the torques.
pub const DDQ_DTAU: Output =
    symmetric(matrix("ddq_dtau", "1/(kg m^2)", "derivative of the accelerations by the torques, M(q)^-1"));

/// Name, parameters and results of a function: of a row of the table, or of a fused function.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Results, in order.
    pub outputs: Vec<Output>,
    /// Type of several results, in UpperCamelCase. A single result has none.
    pub result: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_robot() {
        let sizes = Sizes { nq: 19, nv: 18, nb: 13, np: 2, ..Sizes::default() };
        assert_eq!(Q.kind.shape().extent(sizes), (19, 1));
        assert_eq!(FEXT.kind.shape().extent(sizes), (6, 13));
        assert_eq!(INERTIA.kind.shape().extent(sizes), (10, 2));
        assert_eq!(DDQ_DQ.shape.extent(sizes), (18, 18));
        assert_eq!(Dims::Scalar.extent(sizes), (1, 1));
        // Second derivatives: a matrix for each coordinate.
        assert_eq!(Dims::Tensor(Dim::Nv, Dim::Nv, Dim::Nv).extent(sizes), (18, 18 * 18));
    }
}
