//! Dynamics under contacts and closed loops, on slices: the runtime's functions of contacts, which take a
//! robot's matrices and the motion of its contacts' frames from the functions that were loaded.
//!
//! The runtime's matrices have sizes that are known when it is compiled. They are larger here than the
//! robot's: what is beyond its coordinates and rows is zero, as rows of inactive contacts are.

mod at;
mod call;
mod friction;
mod friction_methods;
mod friction_results;
mod hessian;
mod methods;
mod parameters;
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
pub use parameters::ContactsWithParameters;
use rbd_build::frames::ContactAt;
use rbd_build::products;
use rbd_build::routines::products_with_relatives;
use rbd_build::signature::Sizes;
use rbd_runtime::contact::{Carried, ContactTable, PathJoint};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactAxes, ContactKind, Model, ReferenceFrame};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
pub use step_results::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ContactDynamics,
    ContactDynamicsDerivatives, ContactStep, ContactStepDerivatives,
};

/// A contact of a robot, or a closed loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name in the URDF, or as a closed loop.
    pub name: String,
    /// What it holds.
    pub kind: ContactKind,
    /// Its rows among those of all contacts, in forces and Jacobians.
    pub rows: Range<usize>,
    /// Number of its frame among [`rbd_runtime::Model::frames`]; of a closed loop the first.
    pub frame: usize,
    /// The frame that it is to coincide with, of a closed loop.
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
/// The most groups of columns, and blocks of rows in all of them, whose zeros are left out of products.
const MOST_GROUPS: usize = 64;
const MOST_BLOCKS: usize = 256;

/// A robot's contacts, and the functions that they are computed from.
#[derive(Debug)]
pub struct Contacts {
    all: Vec<Contact>,
    sizes: Sizes,
    /// As the runtime wants them, with inactive ones up to the sizes that it is compiled for.
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
    relatives: [Vec<products::ColumnGroup>; 2],
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

/// Sizes for which the runtime's functions are compiled here: coordinates, contacts, rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compiled {
    Small,
    Medium,
    Large,
    Largest,
}

impl Compiled {
    const ALL: [(Self, [usize; 3]); 4] = [
        (Self::Small, [24, 8, 24]),
        (Self::Medium, [40, 16, 48]),
        (Self::Large, [64, 32, 96]),
        (Self::Largest, [128, 64, 192]),
    ];

    /// The smallest that there is room in, and its number of contacts.
    ///
    /// In single precision there are two: each takes the compiler half a minute.
    fn of<T: Number>(sizes: Sizes) -> Option<(Self, usize)> {
        let fits = |(compiled, [nv, nc, nr]): &&(Self, [usize; 3])| {
            let is_there = T::IS_DOUBLE || matches!(compiled, Self::Medium | Self::Largest);
            is_there && sizes.nv <= *nv && sizes.nc <= *nc && sizes.nr <= *nr
        };
        Self::ALL.iter().find(fits).map(|(compiled, [_, nc, _])| (*compiled, *nc))
    }

    /// Bytes of stack that functions take at most, optimised or not: matrices are kept there.
    fn stack<T>(self) -> usize {
        // Derivatives take most: of torques and accelerations, of forces with J^T and M^-1 J^T, and Delassus
        // matrices with factors and inverses.
        self.bytes::<T>([10, 10, 6])
    }

    /// Bytes of stack that a step with friction takes at most.
    fn stack_with_friction<T>(self) -> usize {
        // Delassus matrices of contacts and of closed loops with factors, and the matrices of the solver.
        self.bytes::<T>([4, 8, 16])
    }

    /// Bytes of stack that derivatives of a step with friction take at most.
    fn stack_of_friction_derivatives<T>(self) -> usize {
        // Beside the step's, derivatives of torques, velocities and impulses, and closed loops once more.
        self.bytes::<T>([14, 18, 20])
    }

    /// Bytes of stack that a step with friction and limits of joints takes at most.
    fn stack_with_joints<T>(self) -> usize {
        // Problem and solver have rows of contacts and of coordinates: each of their matrices is as large as
        // one of rows, two wide ones and a square one.
        self.bytes::<T>([12, 24, 24])
    }

    /// Bytes of stack that derivatives of such a step take at most.
    fn stack_of_joint_derivatives<T>(self) -> usize {
        // Both, with memory of the solver once more, and columns of all rows.
        self.bytes::<T>([38, 52, 48])
    }

    /// Bytes of stack that Hessians take at most.
    fn stack_of_hessians<T>(self) -> usize {
        // Beside derivatives, the Hessians of torques and of the sum, and a Jacobian's columns with their
        // motions.
        self.bytes::<T>([22, 12, 6])
    }

    /// Bytes of so many matrices of nv x nv, nv x nr and nr x nr numbers.
    fn bytes<T>(self, [square, wide, rows]: [usize; 3]) -> usize {
        let [nv, _, nr] = Self::ALL[self as usize].1;
        let numbers = square * nv * nv + wide * nv * nr + rows * nr * nr;
        let copies = if cfg!(debug_assertions) { 4 } else { 1 };
        numbers * size_of::<T>() * copies + 256 * 1024
    }
}

/// Runs with a static lifetime. It leaks one slice for each way from a root to contacts.
fn interned(runs: Vec<(usize, usize)>) -> &'static [(usize, usize)] {
    static KNOWN: Mutex<BTreeSet<&'static [(usize, usize)]>> = Mutex::new(BTreeSet::new());
    // A set is whole whoever panicked meanwhile.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(&runs[..]) {
        return known;
    }
    let runs: &'static [(usize, usize)] = Box::leak(runs.into_boxed_slice());
    known.insert(runs);
    runs
}

impl Contacts {
    /// These contacts, computed from these functions; or what is missing.
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
            let support = interned(of.support(model));
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
        let mut relatives = products_with_relatives(model);
        for of in &mut relatives {
            if of.len() > MOST_GROUPS
                || of.iter().map(|group| group.blocks.len()).sum::<usize>() > MOST_BLOCKS
            {
                let (all, n) = ((0, model.nv), model.nv);
                let blocks = vec![products::RowBlock { rows: (0, n), terms: vec![(0, n)] }];
                *of = vec![products::ColumnGroup { columns: all, blocks }];
            }
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
            relatives,
            compiled,
        })
    }

    /// The contacts, in the order of their rows.
    pub fn all(&self) -> &[Contact] {
        &self.all
    }
}
