//! The body of one kernel, in C. All that is decided here is how things are spelled.

use super::C;
use super::spell::{Real, table};
use super::tables::{self, numbers};
use crate::calls::Call;
use crate::emit::gpu;
use crate::kernel::{Angle, ArrayDecl, ArrayId, Op, Operand, Place, Reg, Role, Signed, Stmt, Turned};
use crate::plan::{Version, Wire};
use crate::products::{Product, ProductKind};
use crate::signature::Kind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// How arguments and results lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Those of one state, in a struct where there are several results.
    OneState,
    /// Those of many: the entries of a state are `stride` numbers apart, and each result is an array of its own.
    Strided,
}

/// Statements that read `q`, `sin_q`, `cos_q`, `v`, ... and write the result.
pub struct Body<'a> {
    prefix: &'a str,
    real: Real,
    layout: Layout,
    /// Whether results are in a struct.
    in_struct: bool,
    version: &'a Version,
    /// What sines and cosines are called, by their variable's number.
    trigonometric: FxHashMap<u32, String>,
    /// The variables that something reads: angles that are turned from a coordinate are not computed.
    used: FxHashSet<u32>,
}

impl<'a> Body<'a> {
    /// The body of a kernel of a function that has one result, or several in a struct.
    pub fn new(c: &C<'a>, layout: Layout, in_struct: bool, version: &'a Version) -> Self {
        let mut body = Self {
            prefix: c.prefix,
            real: c.real,
            layout,
            in_struct,
            version,
            trigonometric: FxHashMap::default(),
            used: FxHashSet::default(),
        };
        let names = body.angles().enumerate().flat_map(|(k, angle)| {
            let sin = angle.sin.map(|reg| (reg.number, format!("s{k}")));
            sin.into_iter().chain(angle.cos.map(|reg| (reg.number, format!("c{k}"))))
        });
        let names = names.collect();
        body.trigonometric = names;
        body.used = body.read();
        body
    }

    /// All angles: a kernel takes their sines and cosines at once.
    fn angles(&self) -> impl Iterator<Item = &'a Angle> {
        let taken = self.version.kernel.body.iter().filter_map(|stmt| match stmt {
            Stmt::SinCos(angles) => Some(angles),
            _ => None,
        });
        taken.flatten()
    }

    /// The coordinates whose sines and cosines are read.
    pub fn coordinates(&self) -> impl Iterator<Item = u32> {
        let robots = self.version.kernel.calls().filter_map(Call::robot);
        let of_line = self.angles().filter_map(|angle| self.given(angle)).map(|turned| turned.of.index);
        of_line.chain(robots.flat_map(tables::coordinates))
    }

    /// What all names begin with.
    pub(super) fn prefix(&self) -> &str {
        self.prefix
    }

    fn read(&self) -> FxHashSet<u32> {
        let mut used = FxHashSet::default();
        for stmt in self.version.kernel.body.iter().rev() {
            if matches!(stmt, Stmt::Let { reg, .. } if !used.contains(&reg.number)) {
                continue;
            }
            let mut read = |operand: Operand| {
                if let Operand::Reg(reg) = operand {
                    used.insert(reg.number);
                }
            };
            match stmt {
                Stmt::Let { op, .. } => op.for_each_operand(read),
                Stmt::SinCos(angles) => {
                    angles.iter().filter(|a| self.given(a).is_none()).for_each(|a| read(a.of));
                }
                Stmt::Store { from, .. } => read(from.operand),
                Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
            }
        }
        used
    }

    /// C statements; results go to `out`, or to the only result's name.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (id, decl) in self.version.kernel.declared() {
            if decl.role == Role::Scratch {
                let (name, length) = (self.place_of(id), decl.len().max(1));
                // Loops in vectors read more than is written.
                let zeroed = if self.layout == Layout::OneState { " = {0}" } else { "" };
                let _ = writeln!(text, "{} {name}[{length}]{zeroed};", self.real.name());
            }
        }
        for stmt in &self.version.kernel.body {
            match stmt {
                Stmt::Let { reg, .. } if !self.used.contains(&reg.number) => {}
                Stmt::Let { reg, op } => {
                    let (of, operation) = (self.type_of(reg.lanes), self.operation(*reg, op));
                    let _ = writeln!(text, "const {of} x{} = {operation};", reg.number);
                }
                Stmt::SinCos(angles) => self.sines_and_cosines(&mut text, angles),
                Stmt::Fill { array, with } => self.fill(&mut text, *array, *with),
                Stmt::Store { to, from } => {
                    let _ = writeln!(text, "{} = {};", self.entry(*to), self.signed(*from));
                }
                Stmt::Product(product) => self.product(&mut text, product),
                Stmt::Call(call) => self.loops(&mut text, call),
            }
        }
        text
    }

    fn type_of(&self, lanes: u8) -> String {
        if lanes > 1 { format!("{}_v{lanes}", self.prefix) } else { self.real.name().into() }
    }

    fn decl(&self, array: ArrayId) -> &ArrayDecl {
        self.version.kernel.array(array)
    }

    /// Where an array of the function's is, or one of the kernel's own.
    pub(super) fn place_of(&self, array: ArrayId) -> String {
        match self.version.wire(array) {
            Wire::Param(param) if param.kind.is_given() && self.layout == Layout::OneState => {
                format!("parameters->{}", param.name)
            }
            Wire::Param(param) => param.name.into(),
            Wire::Output(output) if self.in_struct && self.layout == Layout::OneState => {
                format!("out->{}", output.name)
            }
            Wire::Output(output) => output.name.into(),
            Wire::Own => format!("own_{}", self.decl(array).name),
        }
    }

    fn entry(&self, Place { array, index }: Place) -> String {
        self.entry_at(array, &index.to_string())
    }

    /// An entry whose number is an expression.
    fn entry_at(&self, array: ArrayId, index: &str) -> String {
        let name = self.place_of(array);
        match (self.layout, self.version.wire(array)) {
            (Layout::OneState, _) | (_, Wire::Own) => format!("{name}[{index}]"),
            (Layout::Strided, Wire::Param(param)) if param.kind.is_given() => {
                format!("RBD_OF_SET({name}, {index})")
            }
            (Layout::Strided, _) => format!("RBD_AT({name}, {index})"),
        }
    }

    fn fill(&self, text: &mut String, array: ArrayId, with: f64) {
        let (entry, length) = (self.entry_at(array, "i"), self.decl(array).len());
        // Memory of its own is zeroed where it is declared.
        let zeroed = self.layout == Layout::OneState && self.decl(array).role == Role::Scratch && with == 0.0;
        if length > 0 && !zeroed {
            let with = self.real.number(with);
            let _ = writeln!(text, "for (int i = 0; i < {length}; i++) {entry} = {with};");
        }
    }

    /// The sines and cosines of joints are given; others are taken here.
    fn sines_and_cosines(&self, text: &mut String, angles: &[Angle]) {
        let (real, prefix) = (self.real.name(), self.prefix);
        for (k, angle) in angles.iter().enumerate() {
            if let Some(turned) = self.given(angle) {
                let (sin, cos) = self.turned(turned);
                for (reg, name, value) in [(angle.sin, "s", sin), (angle.cos, "c", cos)] {
                    if reg.is_some_and(|reg| self.used.contains(&reg.number)) {
                        let _ = writeln!(text, "const {real} {name}{k} = {value};");
                    }
                }
                continue;
            }
            let (of, lanes) = (self.operand(angle.of), self.version.kernel.lanes(angle.of));
            let lane = |from: &str, l: u8| if lanes > 1 { format!("{from}[{l}]") } else { from.into() };
            let each = |from: &str| (0..lanes).map(|l| lane(from, l)).collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "const {real} angle{k}[{lanes}] = {{{}}};", each(&of));
            let _ = writeln!(text, "{real} sine{k}[{lanes}], cosine{k}[{lanes}];");
            let _ = writeln!(text, "{prefix}_sin_cos({lanes}, angle{k}, sine{k}, cosine{k});");
            for (reg, name, long) in [(angle.sin, "s", "sine"), (angle.cos, "c", "cosine")] {
                if reg.is_some_and(|reg| self.used.contains(&reg.number)) {
                    let all: Vec<String> = (0..lanes).map(|l| format!("{long}{k}[{l}]")).collect();
                    let _ =
                        writeln!(text, "const {} {name}{k} = {{{}}};", self.type_of(lanes), all.join(", "));
                }
            }
        }
    }

    /// The coordinate that an angle is, up to a sign and a constant.
    fn given(&self, angle: &Angle) -> Option<Turned> {
        let is_configuration =
            |p: Place| matches!(self.version.wire(p.array), Wire::Param(p) if p.kind == Kind::Configuration);
        angle.turned.filter(|turned| is_configuration(turned.of))
    }

    /// Sine and cosine of `sign * q + offset`.
    fn turned(&self, Turned { of, sign, offset }: Turned) -> (String, String) {
        let (s, c) = (format!("sin_q[{}]", of.index), format!("cos_q[{}]", of.index));
        let minus = if sign < 0.0 { "-" } else { "" };
        if offset == 0.0 {
            return (format!("{minus}{s}"), c);
        }
        let (sin, cos) = offset.sin_cos();
        let number = |x| self.real.number(x);
        let scaled = |x: &str, by: f64| match by {
            1.0 => x.to_owned(),
            -1.0 => format!("-{x}"),
            by => format!("{x} * {}", number(by)),
        };
        (
            format!("RBD_FMA({c}, {}, {})", number(sin), scaled(&s, sign * cos)),
            format!("RBD_FMA(-{s}, {}, {})", number(sign * sin), scaled(&c, cos)),
        )
    }

    /// A product by loops, with a table of its terms.
    fn product(&self, text: &mut String, product: &Product) {
        if self.layout == Layout::Strided {
            let rows = self.decl(product.result()).rows;
            gpu::product(text, self.real, product, rows, |array, index| self.entry_at(array, index));
            return;
        }
        let numbers = numbers(&product.groups);
        if numbers.is_empty() {
            return;
        }
        let (kind, arrays) = match product.kind {
            ProductKind::Negative { a, x } => ("negative", vec![a, x]),
            ProductKind::Gram { g, d, out } => ("gram", vec![g, d, out]),
        };
        let arrays: Vec<String> = arrays.into_iter().map(|array| self.place_of(array)).collect();
        let _ = writeln!(
            text,
            "{{\n    static const unsigned short terms[{}] = {{\n        {}}};\n    \
             {}_{kind}_product({}, terms, {});\n}}",
            numbers.len(),
            table(&numbers),
            self.prefix,
            arrays.join(", "),
            product.groups.len()
        );
    }

    fn operation(&self, reg: Reg, op: &Op) -> String {
        let lanes = reg.lanes;
        let of = |operand: Operand| self.broadcast(operand, lanes);
        let signed = |s: Signed| format!("{}{}", if s.negated { "-" } else { "" }, of(s.operand));
        match op {
            Op::Add(a, b) => format!("{} + {}", of(*a), of(*b)),
            Op::Sub(a, b) => format!("{} - {}", of(*a), of(*b)),
            Op::Mul(a, b) => format!("{} * {}", of(*a), of(*b)),
            Op::MulAdd { a, b, c } => {
                let macro_name = if lanes > 1 { format!("RBD_FMA{lanes}") } else { "RBD_FMA".into() };
                format!("{macro_name}({}, {}, {})", signed(*a), of(*b), signed(*c))
            }
            Op::Recip(a) => format!("{} / {}", of(Operand::Const(1.0)), of(*a)),
            Op::Hypot(a, b) => format!("RBD_HYPOT({}, {})", of(*a), of(*b)),
            Op::Gather(scalars) => {
                let scalars: Vec<String> = scalars.iter().map(|s| self.signed(*s)).collect();
                format!("{{{}}}", scalars.join(", "))
            }
            Op::Lane(a, lane) => self.lane(*a, *lane),
            Op::Sum(a) => match self.version.kernel.lanes(*a) {
                1 => self.operand(*a),
                4 => {
                    let x = |lane| self.lane(*a, lane);
                    format!("({} + {}) + ({} + {})", x(0), x(2), x(1), x(3))
                }
                lanes => (0..lanes).map(|lane| self.lane(*a, lane)).collect::<Vec<_>>().join(" + "),
            },
        }
    }

    fn signed(&self, signed: Signed) -> String {
        format!("{}{}", if signed.negated { "-" } else { "" }, self.operand(signed.operand))
    }

    /// One lane of an operand.
    fn lane(&self, operand: Operand, lane: u8) -> String {
        match operand {
            Operand::LaneConst(slot) => {
                self.real.number(self.version.kernel.lane_constants[slot as usize][usize::from(lane)])
            }
            scalar if self.version.kernel.lanes(scalar) == 1 => self.operand(scalar),
            vector => format!("{}[{lane}]", self.operand(vector)),
        }
    }

    /// An operand of an operation on so many lanes: a scalar is broadcast.
    fn broadcast(&self, operand: Operand, lanes: u8) -> String {
        let text = self.operand(operand);
        if lanes > 1 && self.version.kernel.lanes(operand) == 1 {
            format!("RBD_SPLAT{lanes}({text})")
        } else {
            text
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Const(x) => self.real.number(x),
            Operand::LaneConst(slot) => {
                let constants = &self.version.kernel.lane_constants[slot as usize];
                let numbers: Vec<String> = constants.iter().map(|x| self.real.number(*x)).collect();
                format!("(({}_v{}){{{}}})", self.prefix, constants.len(), numbers.join(", "))
            }
            Operand::Load(place) => self.entry(place),
            Operand::Reg(reg) => match self.trigonometric.get(&reg.number) {
                Some(name) => name.clone(),
                None => format!("x{}", reg.number),
            },
        }
    }
}
