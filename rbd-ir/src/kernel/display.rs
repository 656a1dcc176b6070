//! A kernel as text for people.

use super::{ArrayId, Kernel, Op, Operand, Place, Reg, Role, Signed, Stmt};
use crate::products::ProductKind;
use std::fmt;

impl fmt::Display for Kernel {
    /// Declarations, then a statement a line:
    ///
    /// ```text
    /// in q[2 x 1]
    /// out tau[2 x 1]
    /// (s4, c5) = sin_cos(q[1])
    /// x9 = fma(-x7, s4, 0.5)
    /// tau[1] = x9
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for decl in &self.arrays {
            let role = match decl.role {
                Role::In => "in",
                Role::Out => "out",
                Role::Scratch => "scratch",
                Role::Lent => "lent",
            };
            writeln!(f, "{role} {}[{} x {}]", decl.name, decl.rows, decl.columns)?;
        }
        self.body.iter().try_for_each(|stmt| writeln!(f, "{}", Shown(self, stmt)))
    }
}

/// A part of a kernel, with the kernel for its names.
struct Shown<'k, T>(&'k Kernel, T);

impl<T: Copy> Shown<'_, T> {
    fn of<U>(&self, part: U) -> Shown<'_, U> {
        Shown(self.0, part)
    }
}

impl fmt::Display for Shown<'_, &Stmt> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Stmt::Let { reg, op } => write!(f, "{reg} = {}", self.of(op)),
            Stmt::SinCos(angles) => {
                let lines = angles.iter().map(|a| {
                    let name = |reg: Option<Reg>| reg.map_or("_".into(), |reg| reg.to_string());
                    format!("({}, {}) = sin_cos({})", name(a.sin), name(a.cos), self.of(a.of))
                });
                f.write_str(&lines.collect::<Vec<_>>().join("\n"))
            }
            Stmt::Fill { array, with } => write!(f, "{}[..] = {with:?}", self.of(*array)),
            Stmt::Store { to, from } => write!(f, "{} = {}", self.of(*to), self.of(*from)),
            Stmt::Call(call) => {
                let results: Vec<String> = call.results.iter().map(|id| self.of(*id).to_string()).collect();
                let given = |id: &Option<ArrayId>| id.map_or("0".into(), |id| self.of(id).to_string());
                let given: Vec<String> = call.arguments.iter().map(given).collect();
                write!(f, "({}) = {:?}({})", results.join(", "), call.routine, given.join(", "))
            }
            Stmt::Product(product) => {
                match product.kind {
                    ProductKind::Negative { a, x } => {
                        write!(f, "{1} = -{0} {1}", self.of(a), self.of(x))?;
                    }
                    ProductKind::Gram { g, d, out } => {
                        write!(f, "{2} = {0} {1} {0}^T", self.of(g), self.of(d), self.of(out))?;
                    }
                }
                for group in &product.groups {
                    write!(f, "\n  columns {}..{}:", group.columns.0, group.columns.1)?;
                    for block in &group.blocks {
                        write!(f, " rows {}..{} over {:?}", block.rows.0, block.rows.1, block.terms)?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Shown<'_, &Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Op::Add(a, b) => write!(f, "{} + {}", self.of(*a), self.of(*b)),
            Op::Sub(a, b) => write!(f, "{} - {}", self.of(*a), self.of(*b)),
            Op::Mul(a, b) => write!(f, "{} * {}", self.of(*a), self.of(*b)),
            Op::MulAdd { a, b, c } => write!(f, "fma({}, {}, {})", self.of(*a), self.of(*b), self.of(*c)),
            Op::Recip(a) => write!(f, "1 / {}", self.of(*a)),
            Op::Hypot(a, b) => write!(f, "hypot({}, {})", self.of(*a), self.of(*b)),
            Op::Gather(scalars) => {
                let scalars: Vec<String> = scalars.iter().map(|s| self.of(*s).to_string()).collect();
                write!(f, "gather({})", scalars.join(", "))
            }
            Op::Lane(a, lane) => write!(f, "{}.{lane}", self.of(*a)),
            Op::Sum(a) => write!(f, "sum({})", self.of(*a)),
        }
    }
}

impl fmt::Display for Shown<'_, Operand> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Const(x) => write!(f, "{x:?}"),
            Operand::LaneConst(slot) => write!(f, "{:?}", self.0.lane_constants[slot as usize]),
            Operand::Load(place) => self.of(place).fmt(f),
            Operand::Reg(reg) => reg.fmt(f),
        }
    }
}

impl fmt::Display for Shown<'_, Signed> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.1.negated { "-" } else { "" }, self.of(self.1.operand))
    }
}

impl fmt::Display for Shown<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decl = self.0.array(self.1.array);
        let index = self.1.index as usize;
        match decl.columns {
            1 => write!(f, "{}[{index}]", decl.name),
            _ => write!(f, "{}[{}, {}]", decl.name, index % decl.rows, index / decl.rows),
        }
    }
}

impl fmt::Display for Shown<'_, ArrayId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.array(self.1).name)
    }
}

impl fmt::Display for Reg {
    /// `x7`, and `x7:4` of four lanes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => write!(f, "x{}", self.number),
            lanes => write!(f, "x{}:{lanes}", self.number),
        }
    }
}
