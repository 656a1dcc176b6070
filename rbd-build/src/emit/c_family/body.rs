//! Text of one kernel's statements. Only spelling is decided here.

use super::Dialect;
use super::helpers::{Helper, Written};
use crate::search::plan::{Version, Wire};
use crate::signatures::signature::Kind;
use rbd_ir::kernel::{Angle, ArrayDecl, ArrayId, Op, Operand, Place, Reg, Role, Signed, Stmt, Turned};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Statements of a kernel, which read `q`, `sin_q`, `cos_q`, `v` and so on, and write the result.
pub struct Body<'a, D> {
    dialect: D,
    version: &'a Version,
    /// Names of sines and cosines, by number of their register.
    trigonometric: FxHashMap<u32, String>,
    /// Numbers of registers that are read. A sine or cosine that nobody reads is left out.
    used: FxHashSet<u32>,
}

impl<'a, D: Dialect> Body<'a, D> {
    /// Prepares the body of a kernel.
    pub fn new(dialect: D, version: &'a Version) -> Self {
        let mut body =
            Self { dialect, version, trigonometric: FxHashMap::default(), used: FxHashSet::default() };
        let names = body.angles().enumerate().flat_map(|(k, angle)| {
            let sin = angle.sin.map(|reg| (reg.number, format!("s{k}")));
            sin.into_iter().chain(angle.cos.map(|reg| (reg.number, format!("c{k}"))))
        });
        let names = names.collect();
        body.trigonometric = names;
        body.used = body.read();
        body
    }

    /// All angles. Each kernel has one statement for all sines and cosines.
    fn angles(&self) -> impl Iterator<Item = &'a Angle> {
        let taken = self.version.kernel.body.iter().filter_map(|stmt| match stmt {
            Stmt::SinCos(angles) => Some(angles),
            _ => None,
        });
        taken.flatten()
    }

    /// Coordinates whose sines and cosines the kernel reads.
    pub fn coordinates(&self) -> impl Iterator<Item = u32> {
        let of_line = self.angles().filter_map(|angle| self.given(angle)).map(|turned| turned.of.index);
        of_line.chain(self.version.kernel.calls().flat_map(|call| self.dialect.coordinates(call)))
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

    /// Text of all statements, with their helpers.
    pub fn text(&self) -> Written {
        let mut text = Written::default();
        for (id, decl) in self.version.kernel.declared() {
            if decl.role == Role::Scratch {
                let (name, length) = (self.array(id), decl.len().max(1));
                let zeroed = if D::ZEROES_OWN { " = {0}" } else { "" };
                let _ = writeln!(text, "{} {name}[{length}]{zeroed};", self.dialect.real().name());
            }
        }
        for stmt in &self.version.kernel.body {
            match stmt {
                Stmt::Let { reg, .. } if !self.used.contains(&reg.number) => {}
                Stmt::Let { reg, op } => {
                    if matches!(op, Op::Hypot(..)) {
                        text.needs(Helper::Hypot);
                    }
                    let (of, operation) = (self.type_of(reg.lanes), self.operation(*reg, op));
                    let _ = writeln!(text, "{}{of} x{} = {operation};", D::CONSTANT, reg.number);
                }
                Stmt::SinCos(angles) => self.sines_and_cosines(&mut text, angles),
                Stmt::Fill { array, with } => self.fill(&mut text, *array, *with),
                Stmt::Store { to, from } => {
                    let _ = writeln!(text, "{} = {};", self.entry(*to), self.signed(*from));
                }
                Stmt::Product(product) => self.dialect.product(&mut text, self, product),
                Stmt::Call(call) => self.dialect.call(&mut text, self, call),
            }
        }
        text
    }

    fn type_of(&self, lanes: u8) -> String {
        if lanes > 1 {
            format!("{}_v{lanes}", self.dialect.prefix())
        } else {
            self.dialect.real().name().into()
        }
    }

    /// Declaration of an array.
    pub fn decl(&self, array: ArrayId) -> &ArrayDecl {
        self.version.kernel.array(array)
    }

    /// Name of an array, which is the function's or the kernel's own.
    pub fn array(&self, array: ArrayId) -> String {
        match self.version.wire(array) {
            Wire::Param(param) => self.dialect.param(param),
            Wire::Output(output) => self.dialect.output(output),
            Wire::Own => format!("own_{}", self.decl(array).name),
        }
    }

    fn entry(&self, Place { array, index }: Place) -> String {
        self.entry_at(array, &index.to_string())
    }

    /// Entry of an array at an index given as an expression.
    pub fn entry_at(&self, array: ArrayId, index: &str) -> String {
        let name = self.array(array);
        match self.version.wire(array) {
            Wire::Own => format!("{name}[{index}]"),
            wire => self.dialect.entry(wire, &name, index),
        }
    }

    fn fill(&self, text: &mut Written, array: ArrayId, with: f64) {
        let (entry, length) = (self.entry_at(array, "i"), self.decl(array).len());
        // Own memory is zeroed by its declaration.
        let zeroed = D::ZEROES_OWN && self.decl(array).role == Role::Scratch && with == 0.0;
        if length > 0 && !zeroed {
            let with = self.dialect.real().number(with);
            let _ = writeln!(text, "for (int i = 0; i < {length}; i++) {entry} = {with};");
        }
    }

    /// Writes sines and cosines. Those of joints are arguments, the others are computed.
    fn sines_and_cosines(&self, text: &mut Written, angles: &[Angle]) {
        let (real, prefix) = (self.dialect.real().name(), self.dialect.prefix());
        for (k, angle) in angles.iter().enumerate() {
            if let Some(turned) = self.given(angle) {
                let (sin, cos) = self.turned(turned);
                for (reg, name, value) in [(angle.sin, "s", sin), (angle.cos, "c", cos)] {
                    if reg.is_some_and(|reg| self.used.contains(&reg.number)) {
                        let _ = writeln!(text, "{}{real} {name}{k} = {value};", D::CONSTANT);
                    }
                }
                continue;
            }
            text.needs(Helper::Sines);
            let (of, lanes) = (self.operand(angle.of), self.version.kernel.lanes(angle.of));
            let lane = |from: &str, l: u8| if lanes > 1 { format!("{from}[{l}]") } else { from.into() };
            let each = |from: &str| (0..lanes).map(|l| lane(from, l)).collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "const {real} angle{k}[{lanes}] = {{{}}};", each(&of));
            let _ = writeln!(text, "{real} sine{k}[{lanes}], cosine{k}[{lanes}];");
            let _ = writeln!(text, "{prefix}_sin_cos({lanes}, angle{k}, sine{k}, cosine{k});");
            for (reg, name, long) in [(angle.sin, "s", "sine"), (angle.cos, "c", "cosine")] {
                if reg.is_some_and(|reg| self.used.contains(&reg.number)) {
                    let all: Vec<String> = (0..lanes).map(|l| format!("{long}{k}[{l}]")).collect();
                    let (constant, of, all) = (D::CONSTANT, self.type_of(lanes), all.join(", "));
                    let _ = writeln!(text, "{constant}{of} {name}{k} = {{{all}}};");
                }
            }
        }
    }

    /// The coordinate of which an angle is a multiple by ±1, plus a constant.
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
        let number = |x| self.dialect.real().number(x);
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
            Operand::LaneConst(slot) => self
                .dialect
                .real()
                .number(self.version.kernel.lane_constants[slot as usize][usize::from(lane)]),
            scalar if self.version.kernel.lanes(scalar) == 1 => self.operand(scalar),
            vector => format!("{}[{lane}]", self.operand(vector)),
        }
    }

    /// An operand of a statement on `lanes` lanes. Scalars are broadcast.
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
            Operand::Const(x) => self.dialect.real().number(x),
            Operand::LaneConst(slot) => {
                let constants = &self.version.kernel.lane_constants[slot as usize];
                let numbers: Vec<String> = constants.iter().map(|x| self.dialect.real().number(*x)).collect();
                format!("(({}_v{}){{{}}})", self.dialect.prefix(), constants.len(), numbers.join(", "))
            }
            Operand::Load(place) => self.entry(place),
            Operand::Reg(reg) => match self.trigonometric.get(&reg.number) {
                Some(name) => name.clone(),
                None => format!("x{}", reg.number),
            },
        }
    }
}
