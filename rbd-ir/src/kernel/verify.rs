//! Verification of kernels.

use super::{ArrayId, Kernel, Op, Operand, Place, Reg, Role, Signed, Stmt};
use crate::calls::Call;
use crate::products::{Product, ProductKind};
use rustc_hash::FxHashSet;

impl Kernel {
    /// Checks that variables are written once and before they are read, that lanes agree, that
    /// entries lie within their arrays and are written before they are read, and that every entry
    /// of every result is written.
    ///
    /// # Errors
    /// The violated condition, and its place.
    pub fn verify(&self) -> Result<(), String> {
        let mut checker = Checker {
            kernel: self,
            defined: FxHashSet::default(),
            written: self.arrays.iter().map(|a| vec![a.role == Role::In; a.len()]).collect(),
        };
        for (k, stmt) in self.body.iter().enumerate() {
            checker.statement(stmt).map_err(|what| format!("statement {k}: {what}"))?;
        }
        // A target takes all angles at once, and names sines and cosines by their place among them.
        if self.body.iter().filter(|stmt| matches!(stmt, Stmt::SinCos(_))).count() > 1 {
            return Err("sines and cosines are taken twice".into());
        }
        for (id, decl) in self.declared().filter(|(_, decl)| decl.role == Role::Out) {
            if let Some(k) = checker.written[id.index()].iter().position(|written| !written) {
                return Err(format!("{}[{k}] is never written", decl.name));
            }
        }
        Ok(())
    }
}

struct Checker<'k> {
    kernel: &'k Kernel,
    defined: FxHashSet<Reg>,
    /// By array, the entries that have been written.
    written: Vec<Vec<bool>>,
}

type Check = Result<(), String>;

fn require(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

impl Checker<'_> {
    fn statement(&mut self, stmt: &Stmt) -> Check {
        match stmt {
            Stmt::Let { reg, op } => {
                self.operation(*reg, op)?;
                self.define(*reg)
            }
            Stmt::SinCos(angles) => angles.iter().try_for_each(|angle| {
                self.operand(angle.of)?;
                [angle.sin, angle.cos].into_iter().flatten().try_for_each(|reg| {
                    require(reg.lanes == self.kernel.lanes(angle.of), || format!("{reg} has other lanes"))?;
                    self.define(reg)
                })?;
                angle.turned.map_or(Ok(()), |turned| self.operand(Operand::Load(turned.of)))
            }),
            Stmt::Fill { array, .. } => {
                self.writable(*array)?;
                self.written[array.index()].fill(true);
                Ok(())
            }
            Stmt::Store { to, from } => {
                self.scalar(*from)?;
                self.writable(to.array)?;
                self.within(*to)?;
                self.written[to.array.index()][to.index as usize] = true;
                Ok(())
            }
            Stmt::Product(product) => self.product(product),
            Stmt::Call(call) => self.call(call),
        }
    }

    fn operation(&self, reg: Reg, op: &Op) -> Check {
        let mut all = Ok(());
        op.for_each_operand(|operand| {
            if all.is_ok() {
                all = self.operand(operand);
            }
        });
        all?;
        let fits = |a: Operand| [1, reg.lanes].contains(&self.kernel.lanes(a));
        let agree = match op {
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => fits(*a) && fits(*b),
            Op::MulAdd { a, b, c } => fits(a.operand) && fits(*b) && fits(c.operand),
            Op::Recip(a) => fits(*a),
            Op::Hypot(a, b) => fits(*a) && fits(*b) && reg.lanes == 1,
            Op::Gather(scalars) => {
                scalars.iter().try_for_each(|s| self.scalar(*s))?;
                scalars.len() == usize::from(reg.lanes)
            }
            Op::Lane(a, lane) => *lane < self.kernel.lanes(*a) && reg.lanes == 1,
            Op::Sum(_) => reg.lanes == 1,
        };
        require(agree, || format!("the lanes of {reg}'s operands are not its own"))
    }

    fn define(&mut self, reg: Reg) -> Check {
        require(self.defined.insert(reg), || format!("{reg} is written twice"))
    }

    fn operand(&self, operand: Operand) -> Check {
        match operand {
            Operand::Const(x) => require(x.is_finite(), || format!("{x} is no constant")),
            Operand::LaneConst(slot) => {
                let known = (slot as usize) < self.kernel.lane_constants.len();
                require(known, || format!("there is no lane constant {slot}"))
            }
            Operand::Load(place) => {
                self.within(place)?;
                let decl = self.kernel.array(place.array);
                require(decl.role == Role::In, || format!("{} is no input", decl.name))
            }
            Operand::Reg(reg) => require(self.defined.contains(&reg), || format!("{reg} is not written yet")),
        }
    }

    fn scalar(&self, signed: Signed) -> Check {
        self.operand(signed.operand)?;
        require(self.kernel.lanes(signed.operand) == 1, || "one number is asked for".into())
    }

    fn within(&self, place: Place) -> Check {
        let known = self.kernel.arrays.get(place.array.index());
        let decl = known.ok_or_else(|| format!("there is no array {}", place.array.0))?;
        require((place.index as usize) < decl.len(), || format!("{}[{}] is outside", decl.name, place.index))
    }

    fn writable(&self, array: ArrayId) -> Check {
        let known = self.kernel.arrays.get(array.index());
        let decl = known.ok_or_else(|| format!("there is no array {}", array.0))?;
        require(decl.role != Role::In, || format!("{} is read only", decl.name))
    }

    /// All arrays that the call reads have been written.
    fn call(&mut self, call: &Call) -> Check {
        for read in call.reads() {
            let decl = self.kernel.arrays.get(read.index()).ok_or("what a call reads is no array")?;
            let missing = self.written[read.index()].iter().position(|written| !written);
            require(missing.is_none(), || format!("{} is read by a call, and not written yet", decl.name))?;
        }
        for &used in &call.scratch {
            self.writable(used)?;
            self.written[used.index()].fill(false);
        }
        for &result in &call.results {
            self.writable(result)?;
            self.written[result.index()].fill(true);
        }
        Ok(())
    }

    /// The entries that the loops read or keep have been written; the loops write the rest.
    fn product(&mut self, product: &Product) -> Check {
        for factor in product.factors() {
            let decl = self.kernel.arrays.get(factor.index()).ok_or("a factor is no array")?;
            let missing = self.written[factor.index()]
                .iter()
                .enumerate()
                .find(|(k, written)| !**written && product.needs(factor, (*k % decl.rows, *k / decl.rows)));
            if let Some((k, _)) = missing {
                return Err(format!("{}[{k}] is read by a product, and not written yet", decl.name));
            }
        }
        let result = product.result();
        self.writable(result)?;
        let decl = self.kernel.array(result);
        let gram = matches!(product.kind, ProductKind::Gram { .. });
        for group in &product.groups {
            for block in &group.blocks {
                let fits = block.rows.1 <= decl.rows && group.columns.1 <= decl.columns;
                require(fits, || format!("a block is outside of {}", decl.name))?;
                for column in group.columns.0..group.columns.1 {
                    for row in block.rows.0..block.rows.1 {
                        let written = &mut self.written[result.index()];
                        // Entries above a symmetric result's diagonal are mirrored.
                        if !gram {
                            written[column * decl.rows + row] = true;
                        } else if row >= column {
                            written[column * decl.rows + row] = true;
                            written[row * decl.rows + column] = true;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
