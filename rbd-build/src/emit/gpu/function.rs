//! A function for GPUs: the device function, its steps and parts if there are several, and its kernels.

use super::{Writer, zeros};
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::spelling::names;
use crate::emit::c_family::text::{extent, length, wrapped};
use crate::search::steps::Share;
use crate::signatures::signature::{Dims, Output, Param, Sizes};
use std::collections::BTreeSet;
use std::fmt::Write;

/// An array of a function, with numbers for each state.
#[derive(Clone, Copy, Debug)]
pub struct Array {
    /// Name of the array.
    pub name: &'static str,
    /// Shape of the array.
    pub shape: Dims,
}

impl From<Param> for Array {
    fn from(param: Param) -> Self {
        Self { name: param.name, shape: param.kind.shape() }
    }
}

impl From<Output> for Array {
    fn from(output: Output) -> Self {
        Self { name: output.name, shape: output.shape }
    }
}

/// Name, parameters and results of a function.
pub struct Heading {
    /// Name with the robot's prefix.
    pub name: String,
    /// Parameters at run time, as arrays of several sets.
    pub given: Vec<Param>,
    /// Other parameters.
    pub params: Vec<Array>,
    /// Results, each an array.
    pub outputs: Vec<Array>,
}

/// A function that is written, for steps that call it.
pub struct Callee {
    heading: Heading,
    /// Parts of each of its steps. Empty if it is one part, without functions of steps.
    parts: Vec<Parts>,
}

impl Callee {
    /// Name, arguments and results of the function.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Numbers of a state in an array of its own, such as `work`. None if it has no such array.
    pub fn len_of(&self, name: &str, sizes: Sizes) -> usize {
        let of = self.heading.outputs.iter().find(|output| output.name == name);
        of.map_or(0, |output| extent(output.shape, sizes))
    }

    /// Steps that call those of the function. Its arguments and results are in arrays of the names `of`.
    pub fn calls(&self, of: impl Fn(&'static str) -> &'static str) -> Vec<Step> {
        let sets = if self.heading.given.is_empty() { "" } else { "sets, " };
        let (of_sets, of_states) = self.heading.array_names();
        let names: Vec<&str> = of_sets.into_iter().chain(of_states.into_iter().map(of)).collect();
        let (name, passed) = (&self.heading.name, names.join(", "));
        if self.parts.is_empty() {
            let text = wrapped(&format!("{name}(stride, {sets}{passed});"));
            return vec![Step::Parts(vec![(text + "\n").into()])];
        }
        let call = |(k, parts): (usize, &Parts)| {
            let text = wrapped(&format!("{name}_step{}(part, stride, {sets}{passed});", k + 1));
            Step::Alike { parts: *parts, doc: "", text: text + "\n" }
        };
        self.parts.iter().enumerate().map(call).collect()
    }
}

/// Steps of which neighbours of one part are one step.
pub fn joined(steps: Vec<Step>) -> Vec<Step> {
    let mut groups: Vec<Vec<Step>> = Vec::new();
    let is_single = |step: &Step| matches!(step, Step::Parts(parts) if parts.len() == 1);
    for step in steps {
        match groups.last_mut() {
            Some(group) if is_single(&step) && group.iter().all(is_single) => group.push(step),
            _ => groups.push(vec![step]),
        }
    }
    groups.into_iter().map(one).collect()
}

/// One step for several of one part each. Names of each are its own.
fn one(mut group: Vec<Step>) -> Step {
    if group.len() == 1 {
        return group.remove(0);
    }
    let mut all = Written::default();
    for step in group {
        let Step::Parts(parts) = step else { unreachable!("all have one part") };
        for Written { text, helpers } in parts {
            all.push(Written { text: format!("{{\n{}}}\n", indented(&text, 1)), helpers });
        }
    }
    Step::Parts(vec![all])
}

/// Number of parts of a step, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    count: usize,
    /// True if all parts of some states run together. They read entries of large arrays several times, which
    /// are in the cache then. Other parts run for all states one after the other: together, Go2's
    /// `rnea_derivatives` took 1.07 of the time on an H200, and the blocks of its step 1.1.
    are_together: bool,
}

impl Parts {
    /// Parts of which all of some states run together.
    pub fn together(count: usize) -> Self {
        Self { count, are_together: true }
    }
}

impl From<usize> for Parts {
    fn from(count: usize) -> Self {
        Self { count, are_together: false }
    }
}

/// Independent parts as text. A step begins after all parts of the step before.
pub enum Step {
    /// A text for each part.
    Parts(Vec<Written>),
    /// One text for several parts, which reads the variable `part`.
    Alike {
        /// Number and order of the parts.
        parts: Parts,
        /// Comment on the text.
        doc: &'static str,
        /// Statements.
        text: String,
    },
}

impl Step {
    /// Number of parts.
    pub fn count(&self) -> usize {
        self.parts().count
    }

    /// Number and order of the step's parts.
    pub fn parts(&self) -> Parts {
        match self {
            Self::Parts(parts) => parts.len().into(),
            Self::Alike { parts, .. } => *parts,
        }
    }

    fn bodies(&self) -> Vec<&str> {
        match self {
            Self::Parts(parts) => parts.iter().map(|part| part.text.as_str()).collect(),
            Self::Alike { text, .. } => vec![text],
        }
    }

    fn helpers(&self) -> impl Iterator<Item = Helper> {
        let parts: &[Written] = match self {
            Self::Parts(parts) => parts,
            Self::Alike { .. } => &[],
        };
        parts.iter().flat_map(|part| &part.helpers).copied()
    }
}

impl Heading {
    /// Names of arrays of sets, and of arrays of states.
    fn array_names(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let params = self.params.iter().map(|param| param.name);
        let of_states = params.chain(self.outputs.iter().map(|output| output.name));
        (self.given.iter().map(|param| param.name).collect(), of_states.collect())
    }

    /// Declarations of all arrays, in a kind of memory.
    fn arrays(&self, gpu: &Writer<'_>, memory: &str) -> String {
        let array = |name: &str, constant: &str| {
            format!("{memory} {constant}{} *RBD_RESTRICT {name}", gpu.real.name())
        };
        let given = self.given.iter().map(|param| param.name);
        let arguments =
            given.chain(self.params.iter().map(|param| param.name)).map(|name| array(name, "const "));
        let results = self.outputs.iter().map(|output| array(output.name, ""));
        arguments.chain(results).collect::<Vec<_>>().join(", ")
    }

    /// Numbers in each array for one state or one set, as documentation.
    fn shown_sizes(&self, sizes: Sizes) -> String {
        let shown = |arrays: &mut dyn Iterator<Item = Array>| {
            arrays.map(|array| format!("{} {}", array.name, extent(array.shape, sizes))).collect::<Vec<_>>()
        };
        let of_states = shown(&mut self.params.iter().chain(&self.outputs).copied());
        let of_sets = match shown(&mut self.given.iter().map(|param| Array::from(*param))) {
            none if none.is_empty() => String::new(),
            some => format!("; of a set: {}", some.join(", ")),
        };
        format!("{}{of_sets}", of_states.join(", "))
    }

    /// Head of a device function.
    fn head(&self, gpu: &Writer<'_>, name: &str, more: &str) -> String {
        let sets = if self.given.is_empty() { "" } else { "unsigned sets, " };
        let arrays = self.arrays(gpu, "RBD_SPACE");
        format!(
            "RBD_FUNCTION\n{}\n",
            wrapped(&format!("static void {name}({more}RBD_STRIDE stride, {sets}{arrays})"))
        )
    }

    /// Casts to void for arguments that no body reads.
    fn unused(&self, bodies: &[&str]) -> String {
        let (of_sets, of_states) = self.array_names();
        let arrays = of_sets.into_iter().chain(of_states).map(|array| (array, array));
        let sets = (!self.given.is_empty()).then_some(("sets", "RBD_OF_SET"));
        let all = arrays.chain([("stride", "RBD_AT")]).chain(sets);
        let bodies: Vec<String> = bodies.iter().map(|body| without_comments(body)).collect();
        let unused = all.filter(|(_, read_as)| !bodies.iter().any(|body| names(body, read_as)));
        unused.map(|(name, _)| format!("    (void){name};\n")).collect()
    }

    /// The function with so many parts of each step, for others that call it.
    pub fn callee(self, parts: Vec<Parts>) -> Callee {
        let parts = if parts == [1.into()] { Vec::new() } else { parts };
        Callee { heading: self, parts }
    }

    /// [`Self::definition`], and the function for others that call it.
    pub fn defined(self, gpu: &Writer<'_>, sizes: Sizes, steps: &[Step]) -> (Written, Callee) {
        let written = self.definition(gpu, sizes, steps);
        (written, self.callee(steps.iter().map(Step::parts).collect()))
    }

    /// The device functions of the steps alone, for other functions.
    pub fn parts(&self, gpu: &Writer<'_>, sizes: Sizes, steps: &[Step]) -> Written {
        let helpers = steps.iter().flat_map(Step::helpers).collect();
        let text = match steps {
            [Step::Parts(parts)] if parts.len() == 1 => self.alone(gpu, &parts[0]),
            _ => self.of_steps(gpu, steps),
        };
        Written { text: format!("/* Numbers of a state: {}. */\n{text}", self.shown_sizes(sizes)), helpers }
    }

    /// The device function, its steps, and the kernels.
    pub fn definition(&self, gpu: &Writer<'_>, sizes: Sizes, steps: &[Step]) -> Written {
        let helpers = steps.iter().flat_map(Step::helpers).collect();
        Written { text: self.text(gpu, sizes, steps), helpers }
    }

    fn text(&self, gpu: &Writer<'_>, sizes: Sizes, steps: &[Step]) -> String {
        let name = &self.name;
        let mut text = format!("/* Numbers of a state: {}. */\n", self.shown_sizes(sizes));
        if let [Step::Parts(parts)] = steps
            && let [body] = &parts[..]
        {
            text += &self.alone(gpu, body);
            return text + &self.kernel(gpu, name, &format!("{name}_kernel"), None);
        }
        text += &self.of_steps(gpu, steps);
        text += &self.whole(gpu, steps);
        for (k, step) in steps.iter().enumerate() {
            let (called, kernel) = (self.step_name(k), format!("{name}_kernel{}", k + 1));
            text += &self.kernel(gpu, &called, &kernel, Some(step.parts()));
        }
        let _ = writeln!(text, "#define {}_KERNELS {}\n", name.to_uppercase(), steps.len());
        text
    }

    fn step_name(&self, k: usize) -> String {
        format!("{}_step{}", self.name, k + 1)
    }

    /// Device function of one part.
    fn alone(&self, gpu: &Writer<'_>, body: &Written) -> String {
        let (head, unused) = (self.head(gpu, &self.name, ""), self.unused(&[&body.text]));
        format!("{head}{{\n{unused}{}}}\n\n", indented(&body.text, 1))
    }

    /// Device functions of all steps.
    fn of_steps(&self, gpu: &Writer<'_>, steps: &[Step]) -> String {
        steps.iter().enumerate().map(|(k, step)| self.part_of(gpu, &self.step_name(k), step)).collect()
    }

    /// Device function of one step, which computes the part given as an argument.
    fn part_of(&self, gpu: &Writer<'_>, name: &str, step: &Step) -> String {
        let (head, unused) = (self.head(gpu, name, "unsigned part, "), self.unused(&step.bodies()));
        let doc = match step {
            Step::Alike { doc, .. } if !doc.is_empty() => format!("{doc}\n"),
            _ => String::new(),
        };
        let mut text = format!("{doc}{head}{{\n{unused}");
        match step {
            Step::Alike { text: body, .. } => text += &indented(body, 1),
            Step::Parts(bodies) => {
                text += "    switch (part) {\n";
                for (k, body) in bodies.iter().enumerate() {
                    let _ =
                        write!(text, "    case {k}: {{\n{}        break;\n    }}\n", indented(&body.text, 2));
                }
                text += "    default: break;\n    }\n";
            }
        }
        text + "}\n\n"
    }

    /// Device function that runs all steps in one thread.
    fn whole(&self, gpu: &Writer<'_>, steps: &[Step]) -> String {
        let name = &self.name;
        let mut passed: Vec<&str> = Vec::new();
        passed.extend((!self.given.is_empty()).then_some("sets"));
        let (of_sets, of_states) = self.array_names();
        passed.extend(of_sets.into_iter().chain(of_states));
        let mut text = format!("{}{{\n", self.head(gpu, name, ""));
        for (k, step) in steps.iter().enumerate() {
            let call =
                wrapped(&format!("        {name}_step{}(part, stride, {});", k + 1, passed.join(", ")));
            let _ = writeln!(
                text,
                "    RBD_NOT_UNROLLED\n    for (unsigned part = 0; part < {}; part++) {{\n{call}\n    }}",
                step.count()
            );
        }
        text + "}\n\n"
    }

    /// A kernel. It calls the function, or with `parts` the function of a step.
    fn kernel(&self, gpu: &Writer<'_>, calls: &str, name: &str, parts: Option<Parts>) -> String {
        let arrays = self.arrays(gpu, "RBD_GLOBAL");
        let (of_sets, of_states) = self.array_names();
        let mut at_state: Vec<String> = of_sets.iter().map(|array| format!("{array} + i % sets")).collect();
        at_state.extend(of_states.iter().map(|array| format!("{array} + i")));
        let (sets, passed) = if self.given.is_empty() {
            ("", "RBD_STATES(n)")
        } else {
            ("unsigned sets, ", "RBD_STATES(n), sets")
        };
        let at_state = at_state.join(", ");
        let head = wrapped(&format!("RBD_KERNEL {name}(unsigned n, {sets}{arrays})"));
        let (each, part) = match parts {
            None => ("RBD_EACH_STATE(i, n)".to_owned(), ""),
            Some(Parts { count, are_together }) => {
                let order = if are_together { "PART_OF_STATES" } else { "STATE_OF_PARTS" };
                (format!("RBD_EACH_{order}(i, n, part, {count})"), "part, ")
            }
        };
        let call = wrapped(&format!("        {calls}({part}{passed}, {at_state});"));
        let mut text = format!("{head}\n{{\n    {each} {{\n{call}\n    }}\n}}\n");
        if let Some(Parts { count, .. }) = parts {
            let _ = writeln!(text, "#define {}_PARTS {count}", name.to_uppercase());
        }
        text + "\n"
    }
}

/// Text of a part: sines and cosines, then its kernels.
///
/// Zeros of the results `left` are apart, at the end. A comment gives the number of values alive, to
/// compare with a compiler's registers (`tools/gpu_budget.py`).
pub fn body(gpu: &Writer<'_>, sizes: Sizes, part: &Share, left: &[Output]) -> Written {
    let (mut coordinates, mut blocks) = (BTreeSet::new(), Written::default());
    let alive = part.iter().map(|version| version.kernel.most_alive()).max().filter(|alive| *alive > 0);
    let said = alive.map_or_else(String::new, |alive| format!("/* {alive} numbers at once. */\n"));
    for version in part {
        let (version, zeros) = zeros::apart(gpu, version, left);
        let body = gpu.body(&version);
        coordinates.extend(body.coordinates());
        let Written { text, helpers } = body.text();
        let _ = write!(blocks, "{{\n{}}}\n", indented(&(text + &zeros), 1));
        blocks.helpers.extend(helpers);
    }
    if !coordinates.is_empty() {
        blocks.needs(Helper::Sines);
    }
    Written { text: said + &angles(gpu, sizes, &coordinates) + &blocks.text, ..blocks }
}

/// The statements of a text.
pub fn without_comments(text: &str) -> String {
    let mut pieces = text.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    first + &pieces.filter_map(|piece| Some(piece.split_once("*/")?.1)).collect::<String>()
}

/// Text indented by `depth` steps.
pub fn indented(text: &str, depth: usize) -> String {
    let line = |line: &str| match line.starts_with('#') {
        true => format!("{line}\n"),
        false => format!("{:1$}{line}\n", "", 4 * depth),
    };
    text.lines().map(line).collect()
}

/// Statements for sines and cosines of coordinates.
fn angles(gpu: &Writer<'_>, sizes: Sizes, coordinates: &BTreeSet<u32>) -> String {
    let mut text = String::new();
    if !coordinates.is_empty() {
        let _ = writeln!(text, "{} sin_q[{1}], cos_q[{1}];", gpu.real.name(), length(sizes.nq));
    }
    for k in coordinates {
        let _ = writeln!(text, "sin_q[{k}] = RBD_AT(q, {k});");
        let _ = writeln!(text, "{}_sin_cos(1, sin_q + {k}, sin_q + {k}, cos_q + {k});", gpu.prefix);
    }
    text
}
