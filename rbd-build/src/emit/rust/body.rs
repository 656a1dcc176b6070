//! Body of one kernel in Rust. Only spelling is decided here.

mod operands;

use super::fills::Fills;
use super::parts::{Line, Parts};
use super::registers::Registers;
use super::scalar_functions::ScalarFunction;
use crate::search::plan::{Version, Wire};
use crate::signatures::signature::{Dims, Kind, Output};
use rbd_ir::kernel::{ArrayId, Operand, Place, Role, Stmt};
use rbd_ir::products::{Product, ProductKind};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// Most variables declared where they are written.
///
/// Each `let` nests a scope, through which rustc recurses when it writes debugging information.
/// Some ten thousand scopes overflow its stack.
const NAMES: usize = 200;

/// Place of a kernel's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// The variable `out`, for a single result.
    Whole,
    /// Fields of `out`.
    Fields,
    /// A reference for each result.
    Apart,
}

/// Entries of inputs, by array.
pub(super) type Loaded = BTreeMap<ArrayId, BTreeSet<u32>>;

/// Entries of `loaded` that are not in `other`.
fn without(loaded: &Loaded, other: &Loaded) -> Loaded {
    let is_left = |id: &ArrayId, index: &u32| !other.get(id).is_some_and(|known| known.contains(index));
    let each = loaded.iter().map(|(id, indices)| {
        (*id, indices.iter().copied().filter(|index| is_left(id, index)).collect::<BTreeSet<u32>>())
    });
    each.filter(|(_, indices)| !indices.is_empty()).collect()
}

/// Statements of a kernel, which read `q`, `v` and so on, and write the result.
pub struct Body<'a> {
    results: Results,
    pub(super) version: &'a Version,
    /// Names of sines and cosines, by number of their register.
    trigonometric: BTreeMap<u32, String>,
    /// Names of registers.
    registers: Registers,
    /// True if it has more than [`NAMES`] registers.
    many: bool,
    /// Entries of inputs that only statements after the sines and cosines read.
    after_angles: Loaded,
    /// Functions called so far, with their lanes.
    called: RefCell<BTreeSet<(ScalarFunction, u8)>>,
    /// Blocks of results still to be filled, shared by all parts of a body.
    pub(super) fills: Rc<RefCell<Fills>>,
}

impl<'a> Body<'a> {
    /// Prepares the body of a kernel.
    pub fn new(results: Results, version: &'a Version) -> Self {
        let angles = version.kernel.body.iter().filter_map(|stmt| match stmt {
            Stmt::SinCos(angles) => Some(angles),
            _ => None,
        });
        let names = angles.flatten().enumerate().flat_map(|(k, angle)| {
            let sin = angle.sin.map(|reg| (reg.number, format!("s{k}")));
            sin.into_iter().chain(angle.cos.map(|reg| (reg.number, format!("c{k}"))))
        });
        let lines: Vec<Line> = version.kernel.body.iter().map(Line::Stmt).collect();
        Self::of_lines(results, version, names.collect(), &lines)
    }

    /// Prepares the body of some of a kernel's statements, with given names for sines and cosines.
    pub(super) fn of_lines(
        results: Results,
        version: &'a Version,
        trigonometric: BTreeMap<u32, String>,
        lines: &[Line],
    ) -> Self {
        let many = lines.iter().filter(|line| line.writes().is_some()).count() > NAMES;
        let registers = if many { Registers::own(lines) } else { Registers::few(lines) };
        let (called, fills) = (RefCell::default(), Rc::default());
        let after_angles = Self::after_angles(lines);
        Self { results, version, trigonometric, registers, many, after_angles, called, fills }
    }

    /// Entries of inputs that only lines after the sines and cosines read.
    ///
    /// They are loaded there. Sines branch, and the compiler does not move a load past a branch: it would
    /// load all inputs first, and store most of them again.
    fn after_angles(lines: &[Line]) -> Loaded {
        let is_angles = |line: &Line| matches!(line, Line::Stmt(Stmt::SinCos(_)));
        let Some(at) = lines.iter().position(is_angles) else { return Loaded::new() };
        let (before, after) = lines.split_at(at + 1);
        without(&Self::loaded(after), &Self::loaded(before))
    }

    /// Text of all statements, and of the parts that they call if one function would be too long.
    ///
    /// Parts are items whose names begin with `name`.
    pub fn text(&self, name: &str) -> (String, String) {
        let mut rest = &self.version.kernel.body[..];
        let mut text = String::new();
        self.destinations(&mut text, &mut rest);
        let angles = if rest.iter().any(|stmt| matches!(stmt, Stmt::SinCos(_))) {
            ""
        } else {
            "let _ = self.angles;\n"
        };
        let Some(parts) = Parts::of(rest) else {
            let lines: Vec<Line> = rest.iter().map(Line::Stmt).collect();
            text.push_str(angles);
            self.lines(&mut text, &lines);
            self.fill_rest(&mut text);
            return (self.with_names(&self.recasts(), &self.loaded_by_all(), &text), String::new());
        };
        let cut = |angles, lines: &[Line]| {
            let body = Self::of_lines(self.results, self.version, angles, lines);
            Self { fills: Rc::clone(&self.fills), ..body }
        };
        let head = cut(self.trigonometric.clone(), &parts.head);
        text.push_str(angles);
        head.kept(&mut text, &parts);
        head.lines(&mut text, &parts.head);
        let mut items = String::new();
        for (k, lines) in parts.lines.iter().enumerate() {
            let part = cut(BTreeMap::new(), lines);
            part.item(&mut items, &mut text, &format!("{name}Part{k}"), lines, &parts);
        }
        head.fill_rest(&mut text);
        head.write(&mut text, "let ", &parts.tail);
        (head.with_names(&self.recasts(), &Self::loaded(&parts.head), &text), items)
    }

    /// Prepends declarations of the functions and inputs that the statements use.
    pub(super) fn with_names(&self, recasts: &str, loaded: &Loaded, text: &str) -> String {
        let (mut inputs, all) = (String::new(), self.loaded_by_all());
        // Parts have no names for inputs that nobody reads.
        let is_unused = |id: ArrayId| {
            let name = format!("let {} =", self.version.kernel.array(id).name);
            !all.contains_key(&id) && recasts.contains(&name)
        };
        self.inputs(&mut inputs, &without(loaded, &self.after_angles), is_unused);
        // In large bodies each function is bound to a name once, since rustc is slow to resolve thousands of
        // paths.
        let called = self.called.borrow();
        let functions: String = called
            .iter()
            .map(|(f, lanes)| format!("let {} = {};\n", f.name(*lanes), f.path(*lanes)))
            .collect();
        format!("{functions}{recasts}{inputs}{text}")
    }

    /// Inputs, recast to the kernel's scalars.
    fn recasts(&self) -> String {
        let loaded = self.loaded_by_all();
        let mut text = String::new();
        for (id, decl) in self.version.kernel.declared().filter(|(_, decl)| decl.role == Role::In) {
            let name = decl.name;
            let _ = match self.version.wire(id) {
                Wire::Param(param) if param.kind == Kind::Forces => {
                    writeln!(text, "let {name} = recast.matrices(self.{});", param.name)
                }
                Wire::Param(param) if param.kind.is_given() => {
                    writeln!(text, "let {name} = recast.rows(self.{});", param.name)
                }
                Wire::Param(param) => writeln!(text, "let {name} = recast.matrix(self.{});", param.name),
                // A product reads it in place.
                Wire::Output(_) if !loaded.contains_key(&id) => Ok(()),
                Wire::Output(_) | Wire::Own => {
                    writeln!(text, "let {name} = recast.matrix(&{});", self.place_of(id))
                }
            };
        }
        text
    }

    fn loaded_by_all(&self) -> Loaded {
        Self::loaded(&self.version.kernel.body.iter().map(Line::Stmt).collect::<Vec<_>>())
    }

    /// Entries of inputs that some lines read.
    pub(super) fn loaded(lines: &[Line]) -> Loaded {
        let mut loaded = Loaded::new();
        for line in lines {
            line.for_each_operand(|operand| {
                if let Operand::Load(place) = operand {
                    loaded.entry(place.array).or_default().insert(place.index);
                }
            });
        }
        loaded
    }

    /// Writes names for the inputs in use, by patterns: indices could panic.
    fn inputs(&self, text: &mut String, loaded: &Loaded, is_unused: impl Fn(ArrayId) -> bool) {
        for (id, decl) in self.version.kernel.declared() {
            let Some(used) = loaded.get(&id) else {
                if matches!(self.version.wire(id), Wire::Param(_)) && is_unused(id) {
                    let _ = writeln!(text, "let _ = {};", decl.name);
                }
                continue;
            };
            let kind = self.kind(id);
            // Forces are a vector for each body, and parameters at run time an array.
            let is_by_rows = kind.is_some_and(|kind| kind == Kind::Forces || kind.is_given());
            let length = if is_by_rows { decl.rows as u32 } else { u32::MAX };
            let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for index in used {
                rows.entry(index / length).or_default().push(*index);
            }
            for (row, indices) in rows {
                let pattern = self.pattern(id, &indices, row.saturating_mul(length));
                // An `SVector` stores `[[T; N]; 1]`.
                let _ = match kind {
                    Some(Kind::Forces) => writeln!(text, "let [{pattern}] = {}[{row}].data.0;", decl.name),
                    Some(kind) if kind.is_given() => writeln!(text, "let {pattern} = {}[{row}];", decl.name),
                    _ => writeln!(text, "let [{pattern}] = {}.data.0;", decl.name),
                };
            }
        }
    }

    /// Pattern that names entries of one row of an array, which begins with entry `first`.
    fn pattern(&self, array: ArrayId, indices: &[u32], first: u32) -> String {
        let mut elements: Vec<String> = Vec::new();
        for &index in indices {
            elements.resize((index - first) as usize, "_".into());
            elements.push(self.element(Place { array, index }));
        }
        let is_whole = elements.len() == self.version.kernel.array(array).rows;
        format!("[{}{}]", elements.join(", "), if is_whole { "" } else { ", .." })
    }

    /// Kind of the parameter that an array is, if it is one.
    fn kind(&self, array: ArrayId) -> Option<Kind> {
        match self.version.wire(array) {
            Wire::Param(param) => Some(param.kind),
            Wire::Output(_) | Wire::Own => None,
        }
    }

    /// Name of an input's entry.
    fn element(&self, Place { array, index }: Place) -> String {
        let (name, rows) =
            (self.version.kernel.array(array).name, self.version.kernel.array(array).rows as u32);
        match self.kind(array) {
            Some(Kind::Forces) => format!("f{}_{}", index / rows, index % rows),
            Some(Kind::Inertias) => format!("{name}{}_{}", index / rows, index % rows),
            _ => format!("{name}{index}"),
        }
    }

    /// Writes names for the stored arrays, and fills them. Fills are a kernel's first statements.
    fn destinations(&self, text: &mut String, rest: &mut &[Stmt]) {
        let is_stored = |id| {
            self.version.kernel.body.iter().any(|stmt| match stmt {
                Stmt::Store { to, .. } => to.array == id,
                Stmt::Fill { array, .. } => *array == id,
                _ => false,
            })
        };
        self.memory_of_loops(text, is_stored);
        self.check_zeros(text);
        for (id, decl) in self.version.kernel.declared() {
            if decl.role == Role::In || !is_stored(id) {
                continue;
            }
            let (name, rows, columns) = (decl.name, decl.rows, decl.columns);
            let fill = match *rest {
                [Stmt::Fill { array, with }, after @ ..] if *array == id => {
                    *rest = after;
                    Some(*with)
                }
                _ => None,
            };
            if decl.role == Role::Scratch {
                // The declaration fills it with zeros.
                let _ = writeln!(text, "let mut {name} = rt::zeros::<S, {rows}, {columns}>();");
                let _ = writeln!(text, "let to_{name} = &mut {name}.data.0;");
                continue;
            }
            let _ = writeln!(text, "let to_{name} = &mut {}.data.0;", self.recast_mut(id));
            if let Some(with) = fill
                && !self.fills_in_blocks(id, with)
            {
                let _ = writeln!(text, "*to_{name} = [[{}; {rows}]; {columns}];", self.constant(with));
            }
        }
    }

    /// Writes checks, for debug builds, that matrices and tensors are zero where no statement writes them.
    fn check_zeros(&self, text: &mut String) {
        for (id, output) in self.version.outputs(Role::Out) {
            let unwritten = self.version.unwritten(id);
            if output.shape.leaves_zeros() && !unwritten.is_empty() {
                let place = self.recast_mut(id);
                // An attribute, since the profile that counts is that of the crate with the robot.
                let _ = writeln!(text, "#[cfg(debug_assertions)]\nrt::check_zeros({place}, &{unwritten:?});");
            }
        }
    }

    /// Place of an array, which is the function's or the kernel's own.
    pub(super) fn place_of(&self, array: ArrayId) -> String {
        match self.version.wire(array) {
            Wire::Param(param) => format!("self.{}", param.name),
            Wire::Output(output) => match self.results {
                Results::Whole => "self.out".into(),
                Results::Fields => format!("self.out.{}", output.name),
                Results::Apart => format!("*self.out_{}", output.name),
            },
            Wire::Own => self.version.kernel.array(array).name.into(),
        }
    }

    /// Expression of a mutable array, recast to the kernel's scalars.
    pub(super) fn recast_mut(&self, array: ArrayId) -> String {
        if self.version.wire(array) == Wire::Own {
            return format!("&mut {}", self.place_of(array));
        }
        // A single result is a reference already.
        let borrow = if self.results == Results::Whole { "" } else { "&mut " };
        let place = format!("{borrow}{}", self.place_of(array));
        match self.version.wire(array) {
            Wire::Output(Output { shape: Dims::Scalar, .. }) => format!("recast.number_mut({place})"),
            Wire::Output(Output { shape: Dims::Tensor(..), .. }) => {
                let columns = self.version.kernel.array(array).columns;
                format!("recast.tensor_mut::<_, _, _, {columns}>({place})")
            }
            Wire::Output(Output { shape: Dims::Placement, .. }) => format!("recast.placement_mut({place})"),
            Wire::Output(Output { shape: Dims::Placements(_), .. }) => {
                let columns = self.version.kernel.array(array).columns;
                format!("recast.placements_mut::<_, {columns}>({place})")
            }
            _ => format!("recast.matrix_mut({place})"),
        }
    }

    /// Expression of an array, recast to the kernel's scalars.
    pub(super) fn recast(&self, array: ArrayId) -> String {
        match self.version.wire(array) {
            Wire::Own => format!("&{}", self.place_of(array)),
            Wire::Param(_) | Wire::Output(_) => format!("recast.matrix(&{})", self.place_of(array)),
        }
    }

    /// Declares registers first if they are many. Returns the beginning of a statement that writes one.
    fn declare(&self, text: &mut String) -> &'static str {
        let mut declare = "let ";
        for declared in self.registers.declared() {
            declare = "";
            for names in declared.patterns.chunks(50) {
                let types = vec![declared.of; names.len()].join(", ");
                let _ = writeln!(text, "let ({},): ({types},);", names.join(", "));
            }
        }
        declare
    }

    /// Writes statements.
    pub(super) fn lines(&self, text: &mut String, lines: &[Line]) {
        let declare = self.declare(text);
        self.write(text, declare, lines);
    }

    fn write(&self, text: &mut String, declare: &str, lines: &[Line]) {
        for line in lines {
            let stmt = match line {
                Line::Stmt(stmt) => stmt,
                Line::Take(reg, slot) => {
                    let value = match reg.lanes {
                        1 => slot.to_string(),
                        lanes => format!("S::X{lanes}::take(&{slot})"),
                    };
                    let _ = writeln!(text, "{declare}{} = {value};", self.registers.name(*reg));
                    continue;
                }
                Line::Keep(reg, slot) => {
                    let value = self.operand(Operand::Reg(*reg));
                    let _ = match reg.lanes {
                        1 => writeln!(text, "{slot} = {value};"),
                        lanes => writeln!(text, "S::X{lanes}::keep({value}, &mut {slot});"),
                    };
                    continue;
                }
            };
            match stmt {
                Stmt::Let { reg, op } => {
                    let name = self.registers.name(*reg);
                    let _ = writeln!(text, "{declare}{name} = {};", self.operation(*reg, op));
                }
                Stmt::SinCos(angles) => {
                    self.sines_and_cosines(text, angles);
                    self.inputs(text, &self.after_angles, |_| false);
                }
                Stmt::Store { to, from } => {
                    self.fill_around(text, *to);
                    let decl = self.version.kernel.array(to.array);
                    let (row, column) = (to.index as usize % decl.rows, to.index as usize / decl.rows);
                    // rustc checks an index two to six times as long as a call (docs/limits.md#compile-time).
                    let _ = writeln!(text, "put(to_{}, {row}, {column}, {});", decl.name, self.signed(*from));
                }
                Stmt::Product(product) => self.product(text, product),
                Stmt::Call(call) => self.loops(text, call),
                Stmt::Fill { array, .. } => {
                    unreachable!("{} is filled where it is declared", self.place_of(*array))
                }
            }
        }
    }

    /// Writes a product, by loops over its nonzero blocks.
    fn product(&self, text: &mut String, product: &Product) {
        let (name, factors) = match product.kind {
            ProductKind::Negative { a, x } => {
                ("NegativeProduct", format!("a: {}, x: {}", self.recast(a), self.recast_mut(x)))
            }
            ProductKind::Gram { g, d, out } => {
                let (g, d, out) = (self.recast(g), self.recast(d), self.recast_mut(out));
                ("GramProduct", format!("g: {g}, d: {d}, out: {out}"))
            }
        };
        let groups = super::loops::groups(&product.groups);
        let _ = writeln!(text, "S::{}(rt::{name} {{ {factors}, groups: {groups} }});", self.runs());
    }

    /// Coordinate whose sine and cosine the caller may have, if the place is one of the configuration.
    pub(super) fn coordinate(&self, of: Place) -> Option<u32> {
        let is_configuration =
            matches!(self.version.wire(of.array), Wire::Param(p) if p.kind == Kind::Configuration);
        is_configuration.then_some(of.index)
    }
}
