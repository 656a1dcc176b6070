//! Text of a kernel's statements. Only spelling is decided here.

use super::parts::{Part, each_read};
use super::spell::{number, table};
use super::tables;
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::products::numbers;
use crate::search::plan::{Version, Wire};
use rbd_ir::kernel::{Angle, ArrayId, Op, Operand, Place, Reg, Role, Signed, Stmt};
use rbd_ir::products::{Product, ProductKind};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A kernel within a function.
pub struct Body<'a> {
    /// Statements and arrays.
    pub version: &'a Version,
    /// Prefix of the module's variables that belong to this kernel.
    pub own: String,
    /// Prefix of the arrays of results.
    pub of_result: &'static str,
}

impl Body<'_> {
    /// Memory of the kernel, which the module keeps for all calls.
    pub fn memory(&self) -> String {
        let scratch = self.version.kernel.declared().filter(|(_, decl)| decl.role == Role::Scratch);
        let each = scratch
            .map(|(id, decl)| format!("const {} = new Float64Array({});\n", self.array(id), decl.len()));
        each.collect()
    }

    /// Tables of the kernel's products.
    pub fn tables(&self) -> String {
        let products = self.version.kernel.products().enumerate();
        let each = products.map(|(k, product)| {
            let numbers = table(numbers(&product.groups));
            format!("const {} = new Uint16Array([\n    {numbers}]);\n", self.terms(k))
        });
        each.collect()
    }

    fn terms(&self, k: usize) -> String {
        format!("{}_terms_{k}", self.own)
    }

    /// Statements of a part.
    pub fn text(&self, part: &Part<'_>) -> Written {
        let mut text = Written::default();
        for (variable, place) in &part.taken {
            let _ = writeln!(text, "const x{variable} = _values[{place}];");
        }
        let mut read: FxHashSet<u32> = part.kept.keys().copied().collect();
        part.body.iter().for_each(|stmt| {
            each_read(stmt, |number| {
                read.insert(number);
            });
        });
        for stmt in &part.body {
            match stmt {
                Stmt::Let { reg, op } => {
                    let _ = writeln!(text, "const x{} = {};", reg.number, self.operation(op));
                    self.keep(&mut text, part, *reg);
                }
                Stmt::SinCos(angles) => self.sines_and_cosines(&mut text, part, angles, &read),
                Stmt::Fill { array, with } => {
                    let _ = writeln!(text, "{}.fill({});", self.array(*array), number(*with));
                }
                Stmt::Store { to, from } => {
                    let _ = writeln!(text, "{} = {};", self.entry(*to), self.signed(*from));
                }
                Stmt::Product(product) => self.product(&mut text, product),
                Stmt::Call(call) => {
                    text.needs(Helper::Loops("tables"));
                    let _ = writeln!(text, "{}", tables::call(call, |id| self.array(id)));
                }
            }
        }
        text
    }

    /// Stores a variable that a later part reads.
    fn keep(&self, text: &mut Written, part: &Part<'_>, reg: Reg) {
        if let Some(place) = part.kept.get(&reg.number) {
            let _ = writeln!(text, "_values[{place}] = x{};", reg.number);
        }
    }

    fn sines_and_cosines(
        &self,
        text: &mut Written,
        part: &Part<'_>,
        angles: &[Angle],
        read: &FxHashSet<u32>,
    ) {
        text.needs(Helper::Sines);
        for (k, angle) in angles.iter().enumerate() {
            let _ = writeln!(text, "_angles[{k}] = {};", self.operand(angle.of));
        }
        let _ = writeln!(text, "_sin_cos({});", angles.len());
        for (k, angle) in angles.iter().enumerate() {
            for (reg, from) in [(angle.sin, "_sines"), (angle.cos, "_cosines")] {
                if let Some(reg) = reg.filter(|reg| read.contains(&reg.number)) {
                    let _ = writeln!(text, "const x{} = {from}[{k}];", reg.number);
                    self.keep(text, part, reg);
                }
            }
        }
    }

    /// A product by loops, with a table of its terms.
    fn product(&self, text: &mut Written, product: &Product) {
        let (name, helper, arrays) = match product.kind {
            ProductKind::Negative { a, x } => ("_negative_product", Helper::NegativeProduct, vec![a, x]),
            ProductKind::Gram { g, d, out } => ("_gram_product", Helper::GramProduct, vec![g, d, out]),
        };
        text.needs(helper);
        let at = self.version.kernel.products().position(|other| other == product);
        let rows = self.version.kernel.array(product.result()).rows;
        let arrays: Vec<String> = arrays.into_iter().map(|array| self.array(array)).collect();
        let terms = self.terms(at.expect("it is one of the kernel's"));
        let _ = writeln!(text, "{name}({rows}, {}, {terms});", arrays.join(", "));
    }

    fn array(&self, array: ArrayId) -> String {
        match self.version.wire(array) {
            Wire::Param(param) => param.name.into(),
            Wire::Output(output) => format!("{}{}", self.of_result, output.name),
            Wire::Own => format!("{}_{}", self.own, self.version.kernel.array(array).name),
        }
    }

    fn entry(&self, Place { array, index }: Place) -> String {
        format!("{}[{index}]", self.array(array))
    }

    fn operation(&self, op: &Op) -> String {
        let of = |operand: Operand| self.operand(operand);
        match op {
            Op::Add(a, b) => format!("{} + {}", of(*a), of(*b)),
            Op::Sub(a, b) => format!("{} - {}", of(*a), of(*b)),
            Op::Mul(a, b) => format!("{} * {}", of(*a), of(*b)),
            Op::MulAdd { a, b, c } => {
                let sign = if c.negated { '-' } else { '+' };
                format!("{} * {} {sign} {}", self.signed(*a), of(*b), of(c.operand))
            }
            Op::Recip(a) => format!("1 / {}", of(*a)),
            Op::Hypot(a, b) => format!("Math.sqrt({0} * {0} + {1} * {1})", of(*a), of(*b)),
            Op::Gather(_) | Op::Lane(..) | Op::Sum(_) => {
                unreachable!("the target puts no limbs side by side")
            }
        }
    }

    fn signed(&self, signed: Signed) -> String {
        format!("{}{}", if signed.negated { "-" } else { "" }, self.operand(signed.operand))
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Const(x) => number(x),
            Operand::LaneConst(_) => unreachable!("the target puts no limbs side by side"),
            Operand::Load(place) => self.entry(place),
            Operand::Reg(reg) => format!("x{}", reg.number),
        }
    }
}
