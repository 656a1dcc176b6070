//! Dynamics under contacts and closed loops, on slices: the runtime's functions of contacts, which take a
//! robot's matrices and the motion of its contacts' frames from the functions that were loaded.
//!
//! The runtime's matrices have sizes that are known when it is compiled. They are larger here than the
//! robot's: what is beyond its coordinates and rows is zero, as rows of inactive contacts are.

use crate::{Error, Function, Id, Loaded, Workspace};
use nalgebra::{SMatrix, SVector};
use rbd_build::frames::ContactAt;
use rbd_build::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec};
use rbd_build::products;
use rbd_build::routines::products_with_relatives;
use rbd_build::signature::Sizes;
use rbd_runtime::contact::{self, Carried, ContactTable, Mechanics};
use rbd_runtime::linalg::{ColumnGroup, RowBlock};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{
    ContactAxes, ContactDynamicsDerivatives, ContactImpulseDerivatives, ContactKind,
    FrameAccelerationDerivatives, FrameVelocityDerivatives, Model, ReferenceFrame, RneaDerivatives,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

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
pub struct ContactSettings<'a> {
    /// Regularisation, added to the diagonal of the Delassus matrix, 1/kg (rotations: 1/(kg m^2)). By
    /// default 0.
    pub mu: f64,
    /// Number of solutions, each for the residual of the last one. By default 1.
    pub iterations: usize,
    /// Baumgarte's stiffness, 1/s^2. By default 0.
    pub kp: f64,
    /// Baumgarte's damping, 1/s. By default 0.
    pub kd: f64,
    /// Poses in the world to which `kp` pulls contacts back, one a contact; empty if there are none.
    pub anchors: &'a [Option<Placement<f64>>],
    /// The axes of forces, impulses, residuals, errors and their derivatives. By default the contacts' own.
    pub axes: ContactAxes,
}

impl Default for ContactSettings<'_> {
    fn default() -> Self {
        Self { mu: 0.0, iterations: 1, kp: 0.0, kd: 0.0, anchors: &[], axes: ContactAxes::Local }
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
        (Self::Small, [12, 4, 12]),
        (Self::Medium, [24, 8, 24]),
        (Self::Large, [40, 16, 48]),
        (Self::Largest, [64, 32, 96]),
    ];

    /// The smallest that there is room in, and its number of contacts.
    fn of(sizes: Sizes) -> Option<(Self, usize)> {
        let fits =
            |(_, [nv, nc, nr]): &&(Self, [usize; 3])| sizes.nv <= *nv && sizes.nc <= *nc && sizes.nr <= *nr;
        Self::ALL.iter().find(fits).map(|(compiled, [_, nc, _])| (*compiled, *nc))
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
    pub fn new(
        model: &Model<f64>,
        contacts: &[ContactAt],
        functions: &[Function],
    ) -> Result<Self, &'static str> {
        let sizes = Sizes::from(model).with_contacts(contacts);
        if !model.run_time.is_none() {
            return Err("contacts with inertias or gravity at run time");
        }
        let too_large = "contacts of a robot of more than 64 degrees of freedom, or more than 96 rows";
        let (compiled, most) = Compiled::of(sizes).filter(|_| sizes.nb <= MOST_BODIES).ok_or(too_large)?;
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
            let is_it = |f: &Function| f.name() == id.name() && f.frame().is_none_or(is_local);
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
            relatives,
            compiled,
        })
    }

    /// The contacts, in the order of their rows.
    pub fn all(&self) -> &[Contact] {
        &self.all
    }
}

/// What a function of contacts is given. Each function reads what it takes.
#[derive(Clone, Copy, Debug, Default)]
struct Given<'a> {
    q: &'a [f64],
    /// Velocity, and then accelerations or torques.
    state: [&'a [f64]; 2],
    forces: &'a [f64],
    active: &'a [bool],
    restitution: f64,
    settings: ContactSettings<'a>,
}

/// A function of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Dynamics,
    DynamicsDerivatives,
    Impulse,
    ImpulseDerivatives,
    InverseDynamics,
    Jacobian,
    Delassus,
    Errors,
    Placements,
}

impl Of {
    fn spec(self) -> &'static ContactSpec {
        &CONTACT_FUNCTIONS[self as usize]
    }
}

impl Loaded {
    fn contact(
        &self,
        workspace: &mut Workspace,
        of: Of,
        given: Given<'_>,
        outputs: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        let spec = of.spec();
        let contacts = self.contacts_for(spec.name)?;
        let sizes = contacts.sizes;
        let length = |name: &'static str, expected: usize, given: usize| match given == expected {
            true => Ok(()),
            false => Err(Error::Length { function: spec.name, name, expected, given }),
        };
        let mut state = [given.q, given.state[0], given.state[1]].into_iter();
        for param in spec.params {
            match param {
                ContactParam::State(param) => {
                    let (rows, columns) = param.kind.shape().extent(sizes);
                    length(param.name, rows * columns, state.next().map_or(0, <[f64]>::len))?;
                }
                ContactParam::Forces => length("forces", sizes.nr, given.forces.len())?,
                ContactParam::Active => length("active", sizes.nc, given.active.len())?,
                ContactParam::Settings if !given.settings.anchors.is_empty() => {
                    length("anchors", sizes.nc, given.settings.anchors.len())?;
                }
                ContactParam::Settings | ContactParam::Restitution | ContactParam::Axes => {}
            }
        }
        for (output, given) in spec.outputs.iter().zip(outputs.iter()) {
            let (rows, columns) = output.shape.extent(sizes);
            length(output.name, rows * columns, given.len())?;
        }
        let work = workspace.memory();
        if work.len() < self.work_of_functions() {
            return Err(Error::Workspace(spec.name));
        }
        match contacts.compiled {
            Compiled::Small => run::<12, 4, 12>(self, contacts, work, of, &given, outputs),
            Compiled::Medium => run::<24, 8, 24>(self, contacts, work, of, &given, outputs),
            Compiled::Large => run::<40, 16, 48>(self, contacts, work, of, &given, outputs),
            Compiled::Largest => run::<64, 32, 96>(self, contacts, work, of, &given, outputs),
        }
        Ok(())
    }
}

/// Computes a function by matrices of these sizes, of arguments and results that fit.
fn run<const NV: usize, const NC: usize, const NR: usize>(
    robot: &Loaded,
    contacts: &Contacts,
    work: &mut [f64],
    of: Of,
    given: &Given<'_>,
    outputs: &mut [&mut [f64]],
) {
    let Sizes { nv, nr, .. } = contacts.sizes;
    let none = RowBlock { rows: (0, 0), terms: &[] };
    let mut blocks = [[none; MOST_BLOCKS]; 2];
    let mut groups = [[ColumnGroup { columns: (0, 0), blocks: &[] }; MOST_GROUPS]; 2];
    let mut counts = [0; 2];
    let (of_q, of_v) = {
        let [first, second] = &mut blocks;
        let [first_groups, second_groups] = &mut groups;
        counts[0] = borrowed(&contacts.relatives[0], first, first_groups);
        counts[1] = borrowed(&contacts.relatives[1], second, second_groups);
        (&first_groups[..counts[0]], &second_groups[..counts[1]])
    };
    let at: At<'_, NC> = At {
        robot,
        contacts,
        tables: contacts.tables[..].try_into().expect("there are as many"),
        q: given.q,
        relatives: [of_q, of_v],
        work: RefCell::new(work),
    };
    let vector = |x: &[f64]| {
        let mut out = SVector::<f64, NV>::zeros();
        out.as_mut_slice()[..nv].copy_from_slice(&x[..nv]);
        out
    };
    let mut active = [false; NC];
    active.iter_mut().zip(given.active).for_each(|(to, is)| *to = *is);
    let ContactSettings { mu, iterations, kp, kd, axes, .. } = given.settings;
    let mut anchors = [None; NC];
    anchors.iter_mut().zip(given.settings.anchors).for_each(|(to, anchor)| *to = *anchor);
    let settings = rbd_runtime::ContactSettings { mu, iterations, kp, kd, anchors, axes };
    let (tall, rows) = ((nv, 1), (nr, 1));
    let (square, wide) = ((nv, nv), (nr, nv));
    match of {
        Of::Dynamics => {
            let [v, tau] = given.state.map(vector);
            let out: rbd_runtime::ContactDynamics<f64, NV, NR> =
                contact::dynamics(&at, &v, &tau, &active, &settings);
            put(&out.ddq, tall, outputs[0]);
            put(&out.forces, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
        }
        Of::DynamicsDerivatives => {
            let [v, tau] = given.state.map(vector);
            let mut out = ContactDynamicsDerivatives::<f64, NV, NR>::zeros();
            contact::derivatives_into(&at, &v, &tau, &active, &settings, &mut out);
            put(&out.ddq, tall, outputs[0]);
            put(&out.forces, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
            put(&out.ddq_dq, square, outputs[3]);
            put(&out.ddq_dv, square, outputs[4]);
            put(&out.ddq_dtau, square, outputs[5]);
            put(&out.forces_dq, wide, outputs[6]);
            put(&out.forces_dv, wide, outputs[7]);
            put(&out.forces_dtau, wide, outputs[8]);
        }
        Of::Impulse => {
            let v = vector(given.state[0]);
            let out: rbd_runtime::ContactImpulse<f64, NV, NR> =
                contact::impulse(&at, &v, &active, given.restitution, &settings);
            put(&out.v_plus, tall, outputs[0]);
            put(&out.impulses, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
        }
        Of::ImpulseDerivatives => {
            let v = vector(given.state[0]);
            let mut out = ContactImpulseDerivatives::<f64, NV, NR>::zeros();
            contact::impulse_derivatives_into(&at, &v, &active, given.restitution, &settings, &mut out);
            put(&out.v_plus, tall, outputs[0]);
            put(&out.impulses, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
            put(&out.v_plus_dq, square, outputs[3]);
            put(&out.v_plus_dv, square, outputs[4]);
            put(&out.v_plus_drestitution, tall, outputs[5]);
            put(&out.impulses_dq, wide, outputs[6]);
            put(&out.impulses_dv, wide, outputs[7]);
            put(&out.impulses_drestitution, rows, outputs[8]);
        }
        Of::InverseDynamics => {
            let [v, a] = given.state.map(vector);
            let mut forces = SVector::<f64, NR>::zeros();
            forces.as_mut_slice()[..nr].copy_from_slice(given.forces);
            put(&contact::inverse_dynamics_in(&at, &v, &a, &forces, axes), tall, outputs[0]);
        }
        Of::Jacobian => {
            let out: SMatrix<f64, NR, NV> = contact::jacobian_in(&at, &active, axes);
            put(&out, wide, outputs[0]);
        }
        Of::Delassus => {
            let out: SMatrix<f64, NR, NR> =
                contact::delassus_in::<_, _, NV, MOST_BODIES, NC, NR>(&at, &active, axes);
            put(&out, (nr, nr), outputs[0]);
        }
        Of::Errors => {
            let out: SVector<f64, NR> =
                contact::errors::<_, _, NV, MOST_BODIES, NC, NR>(&at, &active, &settings);
            put(&out, rows, outputs[0]);
        }
        Of::Placements => {
            for (k, out) in outputs[0].chunks_exact_mut(12).enumerate() {
                at.call(at.frame(k).placement, &[], &mut [out]);
            }
        }
    }
}

/// Writes the groups as borrowed ones. Returns how many there are.
fn borrowed<'b>(
    of: &'b [products::ColumnGroup],
    blocks: &'b mut [RowBlock<'b>; MOST_BLOCKS],
    groups: &mut [ColumnGroup<'b>; MOST_GROUPS],
) -> usize {
    let all = of.iter().flat_map(|group| &group.blocks);
    for (to, block) in blocks.iter_mut().zip(all) {
        *to = RowBlock { rows: block.rows, terms: &block.terms };
    }
    let mut rest: &'b [RowBlock<'b>] = blocks;
    for (to, group) in groups.iter_mut().zip(of) {
        let (own, later) = rest.split_at(group.blocks.len());
        *to = ColumnGroup { columns: group.columns, blocks: own };
        rest = later;
    }
    of.len()
}

/// Writes the first rows and columns of a matrix.
fn put<const R: usize, const C: usize>(
    from: &SMatrix<f64, R, C>,
    (rows, columns): (usize, usize),
    out: &mut [f64],
) {
    for (to, column) in out.chunks_exact_mut(rows.max(1)).zip(&from.data.0).take(columns) {
        to.copy_from_slice(&column[..rows]);
    }
}

/// Moves a square matrix of `n` columns, at the beginning of a larger one, to where its entries belong.
fn spread<const N: usize>(n: usize, matrix: &mut SMatrix<f64, N, N>) {
    let numbers = matrix.as_mut_slice();
    for column in (1..n).rev() {
        numbers.copy_within(column * n..(column + 1) * n, column * N);
    }
    // Between the columns, what was not overwritten is of others.
    for column in 0..n {
        numbers[column * N + n..(column + 1) * N].fill(0.0);
    }
}

/// A robot in one configuration, as the runtime asks for it.
struct At<'a, const NC: usize> {
    robot: &'a Loaded,
    contacts: &'a Contacts,
    tables: &'a [ContactTable; NC],
    q: &'a [f64],
    relatives: [&'a [ColumnGroup<'a>]; 2],
    work: RefCell<&'a mut [f64]>,
}

impl<const NC: usize> At<'_, NC> {
    fn frame(&self, contact: usize) -> OfFrame {
        self.contacts.frames[contact].expect("it is a frame of a contact")
    }

    /// Calls a function with `q` and these arguments after it.
    fn call(&self, function: usize, arguments: &[&[f64]], outputs: &mut [&mut [f64]]) {
        let mut inputs: [&[f64]; 4] = [self.q, &[], &[], &[]];
        inputs[1..=arguments.len()].copy_from_slice(arguments);
        let function = &self.robot.functions()[function];
        function.run_one(&inputs[..=arguments.len()], outputs, &mut self.work.borrow_mut());
    }

    fn nv(&self) -> usize {
        self.contacts.sizes.nv
    }

    fn motion<'m, const N: usize>(&self, matrix: &'m mut SMatrix<f64, 6, N>) -> &'m mut [f64] {
        &mut matrix.as_mut_slice()[..6 * self.nv()]
    }

    fn forces<'m>(
        &self,
        fext: &[SVector<f64, 6>; MOST_BODIES],
        numbers: &'m mut [f64; 6 * MOST_BODIES],
    ) -> &'m [f64] {
        for (to, force) in numbers.as_chunks_mut::<6>().0.iter_mut().zip(fext) {
            *to = force.data.0[0];
        }
        &numbers[..6 * self.contacts.sizes.nb]
    }
}

impl<const NV: usize, const NC: usize> Mechanics<f64, NV, MOST_BODIES, NC> for At<'_, NC> {
    fn contacts(&self) -> &[ContactTable; NC] {
        self.tables
    }

    fn placement(&self, contact: usize) -> Placement<f64> {
        let mut at = Placement::identity();
        // Contacts that only fill the table are nowhere.
        if let Some(frame) = self.contacts.frames[contact] {
            let mut numbers = [0.0; 12];
            self.call(frame.placement, &[], &mut [&mut numbers]);
            at.rotation.as_mut_slice().copy_from_slice(&numbers[..9]);
            at.translation.as_mut_slice().copy_from_slice(&numbers[9..]);
        }
        at
    }

    fn jacobian(&self, contact: usize, out: &mut SMatrix<f64, 6, NV>) {
        self.call(self.frame(contact).jacobian, &[], &mut [self.motion(out)]);
    }

    fn velocity(&self, contact: usize, v: &SVector<f64, NV>, out: &mut SVector<f64, 6>) {
        let v = &v.as_slice()[..self.nv()];
        self.call(self.frame(contact).velocity, &[v], &mut [out.as_mut_slice()]);
    }

    fn bias_acceleration(&self, contact: usize, v: &SVector<f64, NV>, out: &mut SVector<f64, 6>) {
        let v = &v.as_slice()[..self.nv()];
        self.call(self.frame(contact).bias_acceleration, &[v], &mut [out.as_mut_slice()]);
    }

    fn velocity_derivatives(
        &self,
        contact: usize,
        v: &SVector<f64, NV>,
        out: &mut FrameVelocityDerivatives<f64, NV>,
    ) {
        let v = &v.as_slice()[..self.nv()];
        let out =
            &mut [out.velocity.as_mut_slice(), self.motion(&mut out.dv_dq), self.motion(&mut out.dv_dv)];
        self.call(self.frame(contact).velocity_derivatives, &[v], out);
    }

    fn acceleration_derivatives(
        &self,
        contact: usize,
        v: &SVector<f64, NV>,
        a: &SVector<f64, NV>,
        out: &mut FrameAccelerationDerivatives<f64, NV>,
    ) {
        let [v, a] = [v, a].map(|x| &x.as_slice()[..self.nv()]);
        let FrameAccelerationDerivatives { acceleration, da_dq, da_dv, da_da } = out;
        let out =
            &mut [acceleration.as_mut_slice(), self.motion(da_dq), self.motion(da_dv), self.motion(da_da)];
        self.call(self.frame(contact).acceleration_derivatives, &[v, a], out);
    }

    fn minv(&self, out: &mut SMatrix<f64, NV, NV>) {
        let n = self.nv();
        self.call(self.contacts.minv, &[], &mut [&mut out.as_mut_slice()[..n * n]]);
        spread(n, out);
    }

    fn bias(&self, v: &SVector<f64, NV>) -> SVector<f64, NV> {
        let (n, mut tau) = (self.nv(), SVector::<f64, NV>::zeros());
        self.call(self.contacts.bias, &[&v.as_slice()[..n]], &mut [&mut tau.as_mut_slice()[..n]]);
        tau
    }

    fn rnea_fext(
        &self,
        v: &SVector<f64, NV>,
        a: &SVector<f64, NV>,
        fext: &[SVector<f64, 6>; MOST_BODIES],
    ) -> SVector<f64, NV> {
        let (n, mut tau, mut forces) = (self.nv(), SVector::<f64, NV>::zeros(), [0.0; 6 * MOST_BODIES]);
        let arguments = [&v.as_slice()[..n], &a.as_slice()[..n], self.forces(fext, &mut forces)];
        self.call(self.contacts.rnea_fext, &arguments, &mut [&mut tau.as_mut_slice()[..n]]);
        tau
    }

    fn rnea_derivatives_fext(
        &self,
        v: &SVector<f64, NV>,
        a: &SVector<f64, NV>,
        fext: &[SVector<f64, 6>; MOST_BODIES],
        out: &mut RneaDerivatives<f64, NV>,
    ) {
        let (n, mut forces) = (self.nv(), [0.0; 6 * MOST_BODIES]);
        let arguments = [&v.as_slice()[..n], &a.as_slice()[..n], self.forces(fext, &mut forces)];
        let RneaDerivatives { tau, dtau_dq, dtau_dv, dtau_da } = out;
        let outputs = &mut [
            &mut tau.as_mut_slice()[..n],
            &mut dtau_dq.as_mut_slice()[..n * n],
            &mut dtau_dv.as_mut_slice()[..n * n],
            &mut dtau_da.as_mut_slice()[..n * n],
        ];
        self.call(self.contacts.rnea_derivatives_fext, &arguments, outputs);
        for matrix in [dtau_dq, dtau_dv, dtau_da] {
            spread(n, matrix);
        }
    }

    fn relatives(&self) -> [&[ColumnGroup<'_>]; 2] {
        self.relatives
    }
}

#[allow(clippy::too_many_arguments, reason = "as many as the function has")]
impl Loaded {
    /// Forward dynamics under contacts: accelerations, and forces at the active contacts.
    ///
    /// `M(q) ddq + C(q, v) v + g(q) = tau + J^T forces, J ddq + dJ/dt v + kd J v + kp e = 0`
    ///
    /// `active` says for each of [`Self::contacts`] whether it holds.
    ///
    /// # Errors
    /// If the robot was loaded without contacts, or a length does not fit.
    pub fn contact_dynamics(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        active: &[bool],
        settings: &ContactSettings<'_>,
        ddq: &mut [f64],
        forces: &mut [f64],
        residual: &mut [f64],
    ) -> Result<(), Error> {
        let given = Given { q, state: [v, tau], active, settings: *settings, ..Given::default() };
        self.contact(workspace, Of::Dynamics, given, &mut [ddq, forces, residual])
    }

    /// [`Self::contact_dynamics`] with derivatives by q (in its tangent space), v and tau.
    ///
    /// `ddq_by` and `forces_by` are derivatives by q, v and tau.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_dynamics_derivatives(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        active: &[bool],
        settings: &ContactSettings<'_>,
        [ddq, forces, residual]: [&mut [f64]; 3],
        ddq_by: [&mut [f64]; 3],
        forces_by: [&mut [f64]; 3],
    ) -> Result<(), Error> {
        let given = Given { q, state: [v, tau], active, settings: *settings, ..Given::default() };
        let ([a, b, c], [d, e, f]) = (ddq_by, forces_by);
        let outputs = &mut [ddq, forces, residual, a, b, c, d, e, f];
        self.contact(workspace, Of::DynamicsDerivatives, given, outputs)
    }

    /// Velocities after an impact at the active contacts, and impulses.
    ///
    /// `M(q) (v_plus - v) = J^T impulses, J v_plus = -restitution J v`
    ///
    /// Of the settings, `mu`, `iterations` and `axes` are used.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_impulse(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        active: &[bool],
        restitution: f64,
        settings: &ContactSettings<'_>,
        v_plus: &mut [f64],
        impulses: &mut [f64],
        residual: &mut [f64],
    ) -> Result<(), Error> {
        let given =
            Given { q, state: [v, &[]], active, restitution, settings: *settings, ..Given::default() };
        self.contact(workspace, Of::Impulse, given, &mut [v_plus, impulses, residual])
    }

    /// [`Self::contact_impulse`] with derivatives by q (in its tangent space), v and the restitution.
    ///
    /// `v_plus_by` and `impulses_by` are derivatives by q, v and the restitution.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_impulse_derivatives(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        active: &[bool],
        restitution: f64,
        settings: &ContactSettings<'_>,
        [v_plus, impulses, residual]: [&mut [f64]; 3],
        v_plus_by: [&mut [f64]; 3],
        impulses_by: [&mut [f64]; 3],
    ) -> Result<(), Error> {
        let given =
            Given { q, state: [v, &[]], active, restitution, settings: *settings, ..Given::default() };
        let ([a, b, c], [d, e, f]) = (v_plus_by, impulses_by);
        let outputs = &mut [v_plus, impulses, residual, a, b, c, d, e, f];
        self.contact(workspace, Of::ImpulseDerivatives, given, outputs)
    }

    /// Inverse dynamics under contact forces, with rows in these axes.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - J^T forces`
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_inverse_dynamics(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        forces: &[f64],
        axes: ContactAxes,
        tau: &mut [f64],
    ) -> Result<(), Error> {
        let settings = ContactSettings { axes, ..ContactSettings::default() };
        let given = Given { q, state: [v, a], forces, settings, ..Given::default() };
        self.contact(workspace, Of::InverseDynamics, given, &mut [tau])
    }

    /// Jacobian J of the active contacts, with rows in these axes. Rows of the others are zero.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_jacobian(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        active: &[bool],
        axes: ContactAxes,
        jacobian: &mut [f64],
    ) -> Result<(), Error> {
        let settings = ContactSettings { axes, ..ContactSettings::default() };
        let given = Given { q, active, settings, ..Given::default() };
        self.contact(workspace, Of::Jacobian, given, &mut [jacobian])
    }

    /// Delassus matrix `J M(q)^-1 J^T` of the active contacts, with rows in these axes. Rows and columns of
    /// the others are zero.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn delassus(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        active: &[bool],
        axes: ContactAxes,
        delassus: &mut [f64],
    ) -> Result<(), Error> {
        let settings = ContactSettings { axes, ..ContactSettings::default() };
        let given = Given { q, active, settings, ..Given::default() };
        self.contact(workspace, Of::Delassus, given, &mut [delassus])
    }

    /// Distances of the active contacts from where they are to be, row by row.
    ///
    /// Closed loops are to be closed, contacts with the world at their anchors.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_errors(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        active: &[bool],
        settings: &ContactSettings<'_>,
        errors: &mut [f64],
    ) -> Result<(), Error> {
        let given = Given { q, active, settings: *settings, ..Given::default() };
        self.contact(workspace, Of::Errors, given, &mut [errors])
    }

    /// Poses of the contacts' frames in the world, for each a rotation by columns, then a translation.
    ///
    /// Those of closed loops are of their first frames.
    ///
    /// # Errors
    /// Those of [`Self::contact_dynamics`].
    pub fn contact_placements(
        &self,
        workspace: &mut Workspace,
        q: &[f64],
        placements: &mut [f64],
    ) -> Result<(), Error> {
        let given = Given { q, ..Given::default() };
        self.contact(workspace, Of::Placements, given, &mut [placements])
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTACT_FUNCTIONS, ContactSpec, Of};

    /// The table's order is the functions' here.
    #[test]
    fn functions_are_rows_of_the_table() {
        let of = |spec: &ContactSpec| match spec.name {
            "contact_dynamics" => Of::Dynamics,
            "contact_dynamics_derivatives" => Of::DynamicsDerivatives,
            "contact_impulse" => Of::Impulse,
            "contact_impulse_derivatives" => Of::ImpulseDerivatives,
            "contact_inverse_dynamics" => Of::InverseDynamics,
            "contact_jacobian" => Of::Jacobian,
            "delassus" => Of::Delassus,
            "contact_errors" => Of::Errors,
            "contact_placements" => Of::Placements,
            other => panic!("{other} is not there"),
        };
        for (k, spec) in CONTACT_FUNCTIONS.iter().enumerate() {
            assert_eq!(of(spec) as usize, k);
        }
    }
}
