//! Dynamics under contacts and closed loops, on slices: the runtime's functions of contacts.
//!
//! They call kernels of all contacts' rows. Where there is none, they take a robot's matrices and the motion
//! of its contacts' frames from the functions that were loaded.
//!
//! The runtime's matrices have sizes that are known when it is compiled. They are larger here than the
//! robot's: what is beyond its coordinates and rows is zero, as rows of inactive contacts are.

mod at;
mod call;
mod friction;
mod friction_methods;
mod friction_results;
mod hessian;
mod interned;
mod methods;
mod parameters;
mod rows;
mod sizes;
mod step_methods;
mod step_results;
mod steps;

use crate::{Function, Id, Number};
pub use call::Problem;
pub use friction::{FrictionCall, FrictionGiven, FrictionJoints, FrictionMore, FrictionOut};
pub use friction_results::{
    FrictionStep, FrictionStepDerivatives, JointContacts, JointFrictionStep, JointFrictionStepDerivatives,
};
pub use hessian::{ContactDynamicsHessian, HessianCall};
use interned::{groups, runs};
pub use parameters::ContactsWithParameters;
use rbd_build::frames::ContactAt;
use rbd_build::routines::{knows_root, products_beside_root, products_with_relatives};
use rbd_build::signature::Sizes;
use rbd_runtime::contact::{Carried, ContactTable, PathJoint};
use rbd_runtime::linalg::ColumnGroup;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactAxes, ContactKind, Model, ReferenceFrame};
pub(crate) use rows::Rows;
use sizes::Compiled;
use std::ops::Range;
pub use step_results::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ContactDynamics,
    ContactDynamicsDerivatives, ContactStep, ContactStepDerivatives,
};

/// A contact of a robot, or a closed loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Name in the URDF, or as a closed loop.
    pub name: String,
    /// Type of the contact: the motion that it prevents.
    pub kind: ContactKind,
    /// Rows of the contact among those of all contacts, in forces and Jacobians.
    pub rows: Range<usize>,
    /// Index of the contact's frame in [`rbd_runtime::Model::frames`]; for a closed loop, of the first frame.
    pub frame: usize,
    /// Index of the second frame of a closed loop, which is to coincide with the first.
    pub second: Option<usize>,
}

/// Settings of the constraint solver: `rbd_runtime::ContactSettings`, for any number of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings<'a, T = f64> {
    /// Regularisation, added to the diagonal of the Delassus matrix, 1/kg (rotations: 1/(kg m^2)). By
    /// default 0.
    pub mu: T,
    /// Number of solutions, each for the residual of the last one. By default 1.
    pub iterations: usize,
    /// Baumgarte's stiffness, 1/s^2. By default 0.
    pub kp: T,
    /// Baumgarte's damping, 1/s. By default 0.
    pub kd: T,
    /// Poses in the world to which `kp` pulls contacts back, one a contact; empty if there are none.
    pub anchors: &'a [Option<Placement<T>>],
    /// The axes of forces, impulses, residuals, errors and their derivatives. By default the contacts' own.
    pub axes: ContactAxes,
}

impl<T: Number> Default for ContactSettings<'_, T> {
    fn default() -> Self {
        let (mu, kp, kd) = (T::zero(), T::zero(), T::zero());
        Self { mu, iterations: 1, kp, kd, anchors: &[], axes: ContactAxes::Local }
    }
}

/// The most moving bodies, closed loops and contacts apart, of a robot with contacts.
const MOST_BODIES: usize = 128;

/// A robot's contacts, and the functions that they are computed from.
#[derive(Debug)]
pub struct Contacts {
    all: Vec<Contact>,
    sizes: Sizes,
    /// Contacts as the runtime takes them, with inactive ones up to the sizes that it is compiled for.
    tables: Vec<ContactTable>,
    /// Places among the robot's functions of those of each first frame, then of each second one.
    frames: Vec<Option<OfFrame>>,
    minv: usize,
    bias: usize,
    rnea_fext: usize,
    rnea_derivatives_fext: usize,
    /// Place of the Hessian of weighted torques, if it was loaded.
    rnea_hessian: Option<usize>,
    /// Joints on the paths to the frames of each contact, or of none if a mimic joint and the joint that it
    /// follows are both on one of them.
    paths: Option<Vec<[Vec<PathJoint>; 2]>>,
    /// Entries of the derivatives of inverse dynamics by q and v that may be nonzero.
    relatives: [&'static [ColumnGroup<'static>]; 2],
    /// Without terms in columns of a floating root that are known, if there are such.
    beside_root: Option<[&'static [ColumnGroup<'static>]; 2]>,
    compiled: Compiled,
}

/// Places of a frame's functions.
#[derive(Clone, Copy, Debug)]
struct OfFrame {
    placement: usize,
    jacobian: usize,
    velocity: usize,
    bias_acceleration: usize,
    velocity_derivatives: usize,
    acceleration_derivatives: usize,
}

impl Contacts {
    /// Contacts of a robot, computed from these functions; or what is missing.
    pub fn new<T: Number>(
        model: &Model<f64>,
        contacts: &[ContactAt],
        functions: &[Function<T>],
    ) -> Result<Self, &'static str> {
        if !cfg!(feature = "contacts") {
            return Err("contacts: rbd-jit is compiled without its feature `contacts`");
        }
        let sizes = Sizes::from(model).with_contacts(contacts);
        let too_large = "contacts of a robot of more than 128 degrees of freedom, 64 contacts or 192 rows";
        let (compiled, most) =
            Compiled::of::<T>(sizes).filter(|_| sizes.nb <= MOST_BODIES).ok_or(too_large)?;
        let carried = |frame: usize| {
            let frame = &model.frames[frame];
            let Placement { rotation: r, translation: p } = frame.placement;
            let row = |k: usize| [r[(k, 0)], r[(k, 1)], r[(k, 2)]];
            Carried { body: frame.body, placement: ([row(0), row(1), row(2)], [p.x, p.y, p.z]) }
        };
        let (mut all, mut tables, mut row) = (Vec::new(), Vec::new(), 0);
        for of in contacts {
            let (frame, second) = (carried(of.frame), of.second.map(carried));
            let support = runs(of.support(model));
            tables.push(ContactTable { kind: of.kind, row, frame, second, support });
            let rows = row..row + of.kind.rows();
            row = rows.end;
            all.push(Contact {
                name: of.name.clone(),
                kind: of.kind,
                rows,
                frame: of.frame,
                second: of.second,
            });
        }
        let nowhere = Carried { body: None, placement: ([[0.0; 3]; 3], [0.0; 3]) };
        let none = ContactTable {
            kind: ContactKind::Point,
            row: sizes.nr,
            frame: nowhere,
            second: None,
            support: &[],
        };
        tables.resize(most, none);

        let place = |id: Id, frame: Option<usize>| {
            let is_local = |of: (usize, ReferenceFrame)| {
                Some(of.0) == frame && (!id.has_reference() || of.1 == ReferenceFrame::Local)
            };
            let is_it = |f: &Function<T>| f.name() == id.name() && f.frame().is_none_or(is_local);
            functions.iter().position(is_it).ok_or("a function that contacts need cannot be had")
        };
        let of_frame = |frame: usize| -> Result<OfFrame, &'static str> {
            let place = |id: Id| place(id, Some(frame));
            Ok(OfFrame {
                placement: place(Id::FramePlacement)?,
                jacobian: place(Id::FrameJacobian)?,
                velocity: place(Id::FrameVelocity)?,
                bias_acceleration: place(Id::FrameBiasAcceleration)?,
                velocity_derivatives: place(Id::FrameVelocityDerivatives)?,
                acceleration_derivatives: place(Id::FrameAccelerationDerivatives)?,
            })
        };
        let mut frames = vec![None; 2 * most];
        for (k, contact) in contacts.iter().enumerate() {
            frames[k] = Some(of_frame(contact.frame)?);
            frames[most + k] = contact.second.map(of_frame).transpose()?;
        }
        Ok(Self {
            all,
            sizes,
            tables,
            frames,
            minv: place(Id::Minv, None)?,
            bias: place(Id::Bias, None)?,
            rnea_fext: place(Id::RneaFext, None)?,
            rnea_derivatives_fext: place(Id::RneaDerivativesFext, None)?,
            rnea_hessian: place(Id::RneaHessian, None).ok(),
            paths: contacts.iter().map(|contact| contact.paths(model)).collect(),
            relatives: products_with_relatives(model).map(groups),
            beside_root: knows_root(model, contacts).then(|| products_beside_root(model).map(groups)),
            compiled,
        })
    }

    /// The contacts, in the order of their rows.
    pub fn all(&self) -> &[Contact] {
        &self.all
    }
}
