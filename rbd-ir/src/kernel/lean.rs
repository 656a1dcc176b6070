//! Another order of a straight line, in which fewer values are alive at once.
//!
//! Statements are chosen from the last one on: of those whose result nobody else waits for, the one that asks for the fewest
//! values that are not alive yet, and of such the one that was found last, so that what a result is made of comes right before
//! it. (List scheduling from below; the best order is hard to find.)

use super::{Kernel, Stmt, part};
use rustc_hash::FxHashMap;

impl Kernel {
    /// The same statements, if all are of a straight line, in an order with fewer values alive, if one is found. Sines and
    /// cosines come first: where an angle is computed, nothing is changed.
    #[must_use]
    pub fn lean(&self) -> Self {
        let (first, line): (Vec<&Stmt>, Vec<&Stmt>) =
            self.body.iter().partition(|stmt| matches!(stmt, Stmt::SinCos(_)));
        let is_plain = |stmt: &&&Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Store { .. });
        if line.iter().filter(is_plain).count() < line.len() {
            return self.clone();
        }
        let made: FxHashMap<u32, usize> = line
            .iter()
            .enumerate()
            .filter_map(|(k, stmt)| match stmt {
                Stmt::Let { reg, .. } => Some((reg.number, k)),
                _ => None,
            })
            .collect();
        // Whose results each reads, each once, and how many read its own.
        let mut reads: Vec<Vec<usize>> = vec![Vec::new(); line.len()];
        let mut readers = vec![0_usize; line.len()];
        for (k, stmt) in line.iter().enumerate() {
            part::each_read(stmt, |number| reads[k].extend(made.get(&number)));
            reads[k].sort_unstable();
            reads[k].dedup();
            reads[k].iter().for_each(|of| readers[*of] += 1);
        }
        let mut is_computed = false;
        first
            .iter()
            .for_each(|stmt| part::each_read(stmt, |number| is_computed |= made.contains_key(&number)));
        if is_computed {
            return self.clone();
        }
        let mut alive = vec![false; line.len()];
        let mut ready: Vec<usize> = (0..line.len()).filter(|k| readers[*k] == 0).collect();
        let mut order = Vec::with_capacity(line.len());
        while !ready.is_empty() {
            let more = |k: usize| reads[k].iter().filter(|of| !alive[**of]).count();
            let asks = |k: usize| more(k) as isize - isize::from(alive[k]);
            let at = (0..ready.len()).rev().min_by_key(|at| asks(ready[*at])).expect("there are some");
            let chosen = ready.remove(at);
            order.push(chosen);
            alive[chosen] = false;
            for &of in &reads[chosen] {
                alive[of] = true;
                readers[of] -= 1;
                if readers[of] == 0 {
                    ready.push(of);
                }
            }
        }
        let body = first.into_iter().chain(order.into_iter().rev().map(|k| line[k])).cloned().collect();
        let other = Self { arrays: self.arrays.clone(), lane_constants: self.lane_constants.clone(), body };
        if other.most_alive() < self.most_alive() { other } else { self.clone() }
    }
}
