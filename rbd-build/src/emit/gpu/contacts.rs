//! Dynamics under contacts for GPUs: kernels of all contacts' rows, and loops between them as text in
//! `text/`.
//!
//! `M = L^T D L` and `Y = L^-T J^T` are computed first, then the Delassus matrix `Y^T D^-1 Y`, its factors
//! and forces, and accelerations (docs/math.md#contacts). Contacts that do not hold have rows of the
//! identity.
//!
//! What a kernel leaves to later ones is in the array `work`, a piece for each quantity ([`Memory`]).

use super::function::{Array, Callee, Heading, Parts, Step, indented};
use super::interface::given;
use super::memory::Memory;
use super::{Writer, impulse};
use crate::emit::c_family::contacts::numbers;
use crate::emit::c_family::documentation::{param_doc, result_doc, shown};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::spelling::Real;
use crate::emit::generated::Generated;
use crate::search::contact_rows::RowsPlan;
use crate::search::plan::{Plan, Version, Wire};
use crate::signatures::contact_rows::{
    FREE_ROWS, JACOBIAN_OF_ROWS, PATHS, PIVOTS, REDUCED_TORQUES, ROW_VELOCITY, ROWS_DQ, ROWS_DV,
    UNIT_FACTORS, VELOCITIES_DQ,
};
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{
    A, DDQ, DDQ_DTAU, DTAU_DQ, DTAU_DV, Dim, Dims, MINV, Output, Q, Sizes, TAU_GIVEN, V,
};
use crate::table::functions::{CONTACT_FUNCTIONS, ContactSpec};
use rbd_runtime::Model;
use std::fmt::Write;

/// Contacts of a robot, with the kernels of their rows.
#[derive(Debug, Default)]
pub struct Contacts<'a> {
    /// The contacts.
    pub at: &'a [ContactAt],
    rows: Vec<RowsPlan>,
    /// The inverse of the mass matrix, if that by factors is too long.
    minv: Option<Plan>,
}

impl<'a> Contacts<'a> {
    /// Contacts of a robot, with the kernels of their rows.
    pub fn of(robot: &'a Generated) -> Self {
        if robot.contacts.is_empty() {
            return Self::default();
        }
        let rows = robot.straight_contact_rows();
        let has_inverse = rows.iter().any(|plan| plan.spec().name == "inverse");
        let minv = (!has_inverse).then(|| robot.straight_minv());
        Self { at: &robot.contacts, rows, minv }
    }

    /// The kernel of this name, and the sizes of its arrays.
    fn kernel(&self, name: &str) -> Option<(&Version, Sizes)> {
        let plan = self.rows.iter().find(|plan| plan.spec().name == name)?;
        Some((&plan.stage.scalar, plan.sizes))
    }

    fn steps(&self, gpu: &Writer<'_>, name: &str) -> Vec<Step> {
        let (version, sizes) = self.kernel(name).expect("there are factors");
        gpu.steps(sizes, &[version])
    }

    /// The last steps of forward dynamics.
    pub fn accelerations(&self, gpu: &Writer<'_>) -> Vec<Step> {
        self.steps(gpu, "accelerations")
    }
}

/// Arguments after the state.
pub const ACTIVE: Array = Array { name: "active", shape: Dims::Vector(Dim::Nc) };
pub const SETTINGS: Array = Array { name: "settings", shape: Dims::Vector(Dim::Fixed(2)) };

/// A function that is written, for steps of others that call it.
pub struct Made {
    /// Row of the table.
    pub spec: &'static ContactSpec,
    /// Sizes of the function's arrays.
    pub sizes: Sizes,
    /// The function.
    pub callee: Callee,
}

impl Made {
    /// Numbers of a state in `work`.
    pub fn work(&self) -> usize {
        self.callee.len_of("work", self.sizes)
    }

    /// Documentation of `active` and `settings`.
    pub fn about_contacts(&self) -> String {
        format!(
            " * active {}: contacts whose number is above a half hold, the others have no forces\n \
             * settings {}: mu, added on the diagonal of J M^-1 J^T, 1/kg; Baumgarte's damping kd, 1/s; zeros hold exactly\n",
            shown(ACTIVE.shape, self.sizes),
            shown(SETTINGS.shape, self.sizes)
        )
    }

    /// The last lines of the documentation of a function `name`, and the macro with the length of `work`.
    pub fn about_work(memory: &Memory, gpu: &Writer<'_>, name: &str) -> String {
        format!(
            "{}\n *\n * J has the rows of the active contacts, in the contacts' own axes. */\n{}",
            memory.documentation(gpu, name),
            memory.defined(gpu, name)
        )
    }
}

/// Name, arguments and results of a function `name` of contacts, with `more` after the torques.
pub fn heading(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    spec: &ContactSpec,
    name: &str,
    more: Option<Array>,
    outputs: impl Iterator<Item = Array>,
) -> Heading {
    let given = if spec.takes_parameters(model) { given(model) } else { Vec::new() };
    let name = format!("{}_{name}", gpu.prefix);
    let state = [Q, V, TAU_GIVEN].map(Array::from).into_iter();
    Heading {
        name: if given.is_empty() { name } else { format!("{name}_with") },
        given,
        params: state.chain(more).chain([ACTIVE, SETTINGS]).collect(),
        outputs: outputs.collect(),
    }
}

/// Number of columns, of `all` with `len` numbers each, that a thread keeps in registers.
/// These are `most` numbers, or one column. Groups of columns are as equal as they can be, and each reads
/// an entry of a matrix once.
fn width(all: usize, len: usize, most: usize) -> usize {
    let groups = all.div_ceil((most / len).max(1));
    all.div_ceil(groups)
}

/// Numbers of the columns by q and v that a thread keeps, in `float` and in `double`.
///
/// On an H200, 65536 states of HyQ in `float` took 2010 us with columns in memory, and 1222, 683, 684 and
/// 513 us with one, two, three and six columns of 30 numbers in registers. In `double` it was 4630, and 1808,
/// 1138 and 1505 us with one, two and three.
const MOST_OF_COLUMNS: [usize; 2] = [180, 60];

/// Numbers of other columns, which have fewer operations each.
const MOST_OF_OTHERS: [usize; 2] = [108, 54];

/// True if the factors of the Delassus matrix stay in a thread's registers. In memory, one entry waits for
/// another: twelve rows took 50 us on an H200, and take 8.
fn are_kept(real: Real, rows: usize) -> bool {
    rows <= if real == Real::F64 { 12 } else { 18 }
}

const FACTORS: &str = "/* L D L^T of the Delassus matrix in place, with reciprocals of D, which are zero where a row follows from others; \
                       forces, and what they leave. */";
const INWARD: &str = "/* An entry of L^-T (tau - b + J^T forces). */";
const OF_ROWS: &str = "/* Columns of M^-1 J^T. */";
const COLUMNS: &str = "/* Columns of the derivatives by q, and after those by v. */";
const BY_TORQUES: &str = "/* Columns of the derivatives by tau, of which ddq_dtau is M^-1 before. */";

/// Macros, the solver, and the functions, which are returned for others that call them.
pub fn definitions(gpu: &Writer<'_>, model: &Model<f64>, contacts: &Contacts<'_>) -> (Written, Vec<Made>) {
    let guard = gpu.prefix.to_uppercase();
    let sizes = contacts.kernel("row_factors").map(|kernel| kernel.1);
    let Some(sizes) = sizes else { return (Written::default(), Vec::new()) };
    let Sizes { nc, nr, .. } = sizes;
    let mut text = format!(
        "#define {guard}_NC {nc} /* contacts, the active ones and the others */\n\
         #define {guard}_CONTACT_ROWS {nr} /* rows of all contacts: 3 of a point, 6 of a plane */\n"
    );
    let is_taken = |word: &str| {
        ["ROWS", "OF_ROW"].contains(&word) || word.starts_with("DYNAMICS_") || word.starts_with("IMPULSE_")
    };
    numbers(&mut text, &guard, contacts.at, is_taken);
    let ends: Vec<usize> = ends(contacts.at).collect();
    let before = ends[..ends.len() - 1].iter().map(|end| format!(" + ((r) >= {end})"));
    let _ = writeln!(
        text,
        "#define {guard}_CONTACT_OF_ROW(r) (0{}) /* the contact of a row */\n",
        before.collect::<String>()
    );
    if !are_kept(gpu.real, nr) {
        text += &spelled(gpu, model, sizes, include_str!("text/contact_solve.c"));
        text.push('\n');
    }
    let mut all = Written::from(text);
    let spec =
        |name: &str| CONTACT_FUNCTIONS.iter().find(|spec| spec.name == name).expect("a row of the table");
    let plain = dynamics(gpu, model, contacts, sizes);
    let first = made(gpu, model, spec("contact_dynamics"), sizes, &plain);
    let called = first.callee.calls(|name| name);
    all.push(function(gpu, &first, plain));
    all.push(impulse::definition(gpu, model, contacts, (&first, spec("contact_impulse"))));
    let mut both = vec![first];
    if let Some(more) = derivatives(gpu, model, contacts, sizes) {
        let steps: Vec<Step> = called.into_iter().chain(more).collect();
        let second = made(gpu, model, spec("contact_dynamics_derivatives"), sizes, &steps);
        all.push(function(gpu, &second, steps));
        both.push(second);
    }
    (all, both)
}

fn made(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    spec: &'static ContactSpec,
    sizes: Sizes,
    steps: &[Step],
) -> Made {
    let memory = memory(sizes, spec.name != "contact_dynamics");
    let outputs = spec.outputs.iter().map(|output| (*output).into()).chain(memory.array());
    let heading = heading(gpu, model, spec, spec.name, None, outputs);
    Made { spec, sizes, callee: heading.callee(steps.iter().map(Step::parts).collect()) }
}

/// Rows before the end of each contact.
fn ends(contacts: &[ContactAt]) -> impl Iterator<Item = usize> {
    contacts.iter().scan(0, |row, contact| {
        *row += contact.kind.rows();
        Some(*row)
    })
}

/// Common text of this robot.
pub fn spelled(gpu: &Writer<'_>, model: &Model<f64>, sizes: Sizes, text: &str) -> String {
    let (least, rounding, tiny) = match gpu.real {
        Real::F32 => (1e-5, 2e-11, 1e-30),
        Real::F64 => (1e-12, 1e-28, 1e-30),
    };
    let number = |x: f64| gpu.real.number(x);
    let text = text
        .replace("ROWS", &sizes.nr.to_string())
        .replace("LEAST", &number(least))
        .replace("ROUNDING", &number(rounding))
        .replace("TINY", &number(tiny))
        .replace("HALF", &number(0.5))
        .replace("OF_ROW(", &format!("{}_CONTACT_OF_ROW(", gpu.prefix.to_uppercase()));
    gpu.text(&text, model)
}

/// Documentation, device function and kernels.
fn function(gpu: &Writer<'_>, made: &Made, steps: Vec<Step>) -> Written {
    let Made { spec, sizes, .. } = *made;
    let memory = memory(sizes, spec.name != "contact_dynamics");
    let mut text = format!(
        "/* {}\n *\n *   M(q) ddq + C(q, v) v + g(q) = tau + J^T forces\n *   J ddq + dJ/dt v + kd J v = 0\n *\n",
        spec.doc.replace('`', "")
    );
    for param in [Q, V, TAU_GIVEN] {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(param));
    }
    text += &made.about_contacts();
    let results =
        spec.outputs.iter().map(|output| format!(" * gives {} {}", output.name, result_doc(*output, sizes)));
    text += &results.collect::<Vec<_>>().join("\n");
    text += &Made::about_work(&memory, gpu, spec.name);
    let steps: Vec<Step> = steps.into_iter().map(|step| memory.in_step(gpu, step)).collect();
    let Written { text: definition, helpers } = made.callee.heading().definition(gpu, sizes, &steps);
    Written { text: text + &definition, helpers }
}

/// Pieces of `work` of dynamics, and with derivatives.
pub fn memory(sizes: Sizes, has_derivatives: bool) -> Memory {
    let extent = |output: &Output| {
        let (rows, columns) = output.shape.extent(sizes);
        (output.name, rows * columns)
    };
    let own = [UNIT_FACTORS, PIVOTS, REDUCED_TORQUES, PATHS, ROW_VELOCITY, FREE_ROWS];
    let mut pieces: Vec<_> = own.iter().map(extent).collect();
    pieces.extend([("delassus", sizes.nr * sizes.nr), ("diagonal", sizes.nr)]);
    if has_derivatives {
        pieces.extend([JACOBIAN_OF_ROWS, VELOCITIES_DQ, DTAU_DQ, DTAU_DV].iter().map(extent));
        pieces.push(("responses", sizes.nv * sizes.nr));
    }
    Memory { pieces }
}

/// Steps of forward dynamics.
fn dynamics(gpu: &Writer<'_>, model: &Model<f64>, contacts: &Contacts<'_>, sizes: Sizes) -> Vec<Step> {
    let mut steps = contacts.steps(gpu, "row_factors");
    steps.push(Step::Parts(pairs(gpu, model, contacts.at, sizes)));
    steps.extend(forced(gpu, model, sizes, &OF_FORCES));
    steps.extend(contacts.accelerations(gpu));
    steps
}

/// Differences between forces and impulses in fixed text.
pub struct Forced {
    /// Name of the array of forces or impulses.
    pub name: &'static str,
    /// Rate of a row without the forces or impulses.
    pub rate: &'static str,
    /// Torques of articulated bodies without the forces or impulses.
    pub begin: &'static str,
}

const OF_FORCES: Forced = Forced {
    name: "forces",
    rate: "RBD_FMA(RBD_AT(settings, 1), RBD_AT(row_velocity, r), RBD_AT(free_rows, r))",
    begin: "RBD_AT(reduced, part)",
};

/// Factors of the Delassus matrix, forces or impulses, and what they do to the torques of articulated bodies.
pub fn forced(gpu: &Writer<'_>, model: &Model<f64>, sizes: Sizes, of: &Forced) -> [Step; 2] {
    let alike = |count: usize, doc: &'static str, text: &str| {
        let text = text.replace("RATE", of.rate).replace("BEGIN", of.begin).replace("FORCES", of.name);
        Step::Alike { parts: count.into(), doc, text: spelled(gpu, model, sizes, &text) }
    };
    let both = match are_kept(gpu.real, sizes.nr) {
        true => include_str!("text/contact_kept.c"),
        false => concat!(include_str!("text/contact_factors.c"), include_str!("text/contact_forces.c")),
    };
    let both = both.replace("    RECIPROCAL\n", &indented(include_str!("text/contact_reciprocal.c"), 1));
    [alike(1, FACTORS, &both), alike(sizes.nv, INWARD, include_str!("text/contact_inward.c"))]
}

/// Blocks of the Delassus matrix, a text for each pair of contacts.
fn pairs(gpu: &Writer<'_>, model: &Model<f64>, contacts: &[ContactAt], sizes: Sizes) -> Vec<Written> {
    let supports: Vec<_> = contacts.iter().map(|contact| contact.support(model)).collect();
    let ends: Vec<usize> = ends(contacts).collect();
    let begin = |k: usize| ends[k] - contacts[k].kind.rows();
    let mut all = Vec::new();
    for k in 0..contacts.len() {
        for l in 0..=k {
            let both = supports[k].iter().flat_map(|a| {
                let overlap = |b: &(usize, usize)| (a.0.max(b.0), a.1.min(b.1));
                supports[l].iter().map(overlap).filter(|(from, to)| from < to)
            });
            let mut sums = String::new();
            for (from, to) in both {
                let _ = write!(
                    sums,
                    "        for (unsigned k = {from}; k < {to}; k++) {{\n            \
                     sum = RBD_FMA(RBD_AT(paths, k * ROWS + r) * RBD_AT(pivots, k), RBD_AT(paths, k * ROWS + c), sum);\n        }}\n"
                );
            }
            let (last, store) = if k == l {
                (
                    "r + 1".to_owned(),
                    "        if (r == c) {\n            RBD_AT(diagonal, r) = sum;\n            \
                     sum = is_held ? sum + RBD_AT(settings, 0) : ONE;\n        }\n",
                )
            } else {
                (ends[l].to_string(), "")
            };
            // Above the diagonal the matrix itself remains, below it are factors.
            let text = format!(
                "const int is_held = RBD_AT(active, {k}) > HALF && RBD_AT(active, {l}) > HALF;\n\
                 RBD_NOT_UNROLLED\n\
                 for (unsigned r = {}; r < {}; r++) {{\n    for (unsigned c = {}; c < {last}; c++) {{\n        \
                 REAL sum = ZERO;\n{sums}        if (!is_held) sum = ZERO;\n{store}        \
                 RBD_AT(delassus, c * ROWS + r) = sum;\n        \
                 if (r != c) RBD_AT(delassus, r * ROWS + c) = sum;\n    }}\n}}\n",
                begin(k),
                ends[k],
                begin(l),
            );
            let text = text.replace("ZERO", &gpu.real.number(0.0)).replace("ONE", &gpu.real.number(1.0));
            all.push(spelled(gpu, model, sizes, &text).into());
        }
    }
    all
}

/// Steps of the derivatives, after those of forward dynamics.
fn derivatives(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    contacts: &Contacts<'_>,
    sizes: Sizes,
) -> Option<Vec<Step>> {
    let Sizes { nv, nr, .. } = sizes;
    // A part for each group of columns, once or twice.
    let groups = |times: usize,
                  all: usize,
                  (len, most): (usize, [usize; 2]),
                  doc: &'static str,
                  text: &str| {
        let width = width(all, len, most[usize::from(gpu.real == Real::F64)]);
        let groups = all.div_ceil(width);
        let text = text.replace("WIDTH", &width.to_string()).replace("GROUPS", &groups.to_string());
        Step::Alike { parts: Parts::together(times * groups), doc, text: spelled(gpu, model, sizes, &text) }
    };
    let of = |name: &str| Some(gpu.steps(sizes, &[&rewired(contacts.kernel(name)?.0)]));
    let mut steps = match &contacts.minv {
        Some(plan) => {
            let stages: Vec<Version> = plan.stages.iter().map(|stage| rewired(&stage.scalar)).collect();
            gpu.steps(sizes, &stages.iter().collect::<Vec<_>>())
        }
        None => of("inverse")?,
    };
    steps.extend(of("row_jacobian")?);
    steps.extend(of("row_and_torque_derivatives")?);
    let product = |text: &str, factor: &str| {
        text.replace("PRODUCT\n", &include_str!("text/contact_product.c").replace("FACTOR", factor))
    };
    let of_rows = product(include_str!("text/contact_responses.c"), "RBD_AT(jacobian, k * ROWS + first + c)");
    let of_states = concat!(include_str!("text/contact_columns.c"), include_str!("text/contact_solved.c"));
    let of_states = product(of_states, "-RBD_AT(torques, c * SIZE + k)");
    let of_torques =
        concat!(include_str!("text/contact_by_torques.c"), include_str!("text/contact_solved.c"));
    let (columns, others) = ((nv + nr, MOST_OF_COLUMNS), (nv + nr, MOST_OF_OTHERS));
    steps.push(groups(1, nr, (nv, MOST_OF_OTHERS), OF_ROWS, &of_rows));
    steps.push(groups(2, nv, columns, COLUMNS, &of_states));
    steps.push(groups(1, nv, others, BY_TORQUES, of_torques));
    Some(steps)
}

/// A kernel at the accelerations of an earlier step, with its results in the memory of the function's.
fn rewired(version: &Version) -> Version {
    version.rewired(|wire| match wire {
        Wire::Param(A) => Wire::Output(DDQ),
        Wire::Output(MINV) => Wire::Output(DDQ_DTAU),
        Wire::Output(ROWS_DQ) => Wire::Output(Output { name: "forces_dq", ..ROWS_DQ }),
        Wire::Output(ROWS_DV) => Wire::Output(Output { name: "forces_dv", ..ROWS_DV }),
        other => other,
    })
}
