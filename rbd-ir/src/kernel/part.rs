//! Parts of kernels: some results, with only the statements that they need.

use super::{Kernel, Operand, Place, Role, Signed, Stmt};
use rustc_hash::FxHashSet;

impl Kernel {
    /// The statements that the kept entries of results need, without products. Arrays keep their
    /// numbers.
    ///
    /// An entry that is filled and never stored is stored explicitly: parts that run side by side
    /// must not overwrite each other's entries.
    #[must_use]
    pub fn part(&self, keep: impl Fn(Place) -> bool) -> Self {
        let stored: FxHashSet<Place> = self.body.iter().filter_map(stored).collect();
        let mut used: FxHashSet<u32> = FxHashSet::default();
        let mut body = Vec::new();
        for stmt in self.body.iter().rev() {
            match stmt {
                Stmt::Let { reg, op } => {
                    if used.contains(&reg.number) {
                        op.for_each_operand(|operand| read(&mut used, operand));
                        body.push(stmt.clone());
                    }
                }
                Stmt::SinCos(angles) => {
                    let mut angles = angles.clone();
                    for angle in &mut angles {
                        angle.sin = angle.sin.filter(|reg| used.contains(&reg.number));
                        angle.cos = angle.cos.filter(|reg| used.contains(&reg.number));
                    }
                    angles.retain(|angle| angle.sin.is_some() || angle.cos.is_some());
                    angles.iter().for_each(|angle| read(&mut used, angle.of));
                    body.push(Stmt::SinCos(angles));
                }
                Stmt::Store { to, from } => {
                    if keep(*to) {
                        read(&mut used, from.operand);
                        body.push(stmt.clone());
                    }
                }
                Stmt::Fill { array, with } => {
                    let from = Signed { operand: Operand::Const(*with), negated: false };
                    let places =
                        (0..self.array(*array).len()).map(|k| Place { array: *array, index: k as u32 });
                    let alone = places
                        .filter(|place| keep(*place) && !stored.contains(place) && self.is_read(*place));
                    body.extend(alone.map(|to| Stmt::Store { to, from }));
                }
                Stmt::Product(_) => {}
                Stmt::Call(_) => unreachable!("parts are of straight lines and products"),
            }
        }
        body.reverse();
        Self { arrays: self.arrays.clone(), lane_constants: self.lane_constants.clone(), body }
    }

    /// Returns whether an entry is used: every entry of a result, and entries that products read.
    fn is_read(&self, Place { array, index }: Place) -> bool {
        let rows = self.array(array).rows;
        let mut products = self.products().filter(|p| p.factors().contains(&array)).peekable();
        let at = (index as usize % rows, index as usize / rows);
        products.peek().is_none() || products.any(|p| p.needs(array, at))
    }

    /// Returns whether the kernel has memory of its own.
    pub fn has_scratch(&self) -> bool {
        self.arrays.iter().any(|decl| decl.role == Role::Scratch && !decl.is_empty())
    }
}

fn stored(stmt: &Stmt) -> Option<Place> {
    match stmt {
        Stmt::Store { to, .. } => Some(*to),
        _ => None,
    }
}

fn read(used: &mut FxHashSet<u32>, operand: Operand) {
    if let Operand::Reg(reg) = operand {
        used.insert(reg.number);
    }
}
