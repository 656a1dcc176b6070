//! What code costs where it runs, and how much search that is worth.

use crate::passes::Ir;
use crate::products::Product;
use crate::tree::Packing;

/// A [target](crate::emit::Target)'s costs, in operations of straight-line code.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Operations that run at full speed: those that fit the first-level instruction cache.
    pub straight_line_budget: usize,
    /// What an operation beyond that costs in addition, in tenths.
    pub beyond_budget: usize,
    /// Operations that a looped product does in the time of one.
    pub looped_at_once: usize,
    /// Rows and columns of a looped product's register block.
    pub block: (usize, usize),
    /// What it costs to begin and end such a block.
    pub per_block: usize,
    /// How limbs may lie side by side: the first group of which one pays is taken.
    pub packings: &'static [&'static [Packing]],
    /// Quarters of the straight line's operations below which limbs side by side pay.
    pub packed_quarters: usize,
    /// Operations beyond which limbs do not lie side by side in pairs.
    pub operations_in_pairs: usize,
    /// Nodes of graphs that the search for one family of functions may trace. Every build pays for it.
    pub nodes_traced: usize,
}

impl CostModel {
    /// What stages cost together: they share the cache.
    pub fn cost<'a>(&self, stages: impl IntoIterator<Item = &'a Ir>) -> usize {
        let (mut straight, mut products, mut handed_over) = (0, 0, 0);
        let mut stages = stages.into_iter().peekable();
        while let Some(stage) = stages.next() {
            straight += Self::straight_line(stage);
            // The next stage reads from memory what this one gives.
            handed_over += if stages.peek().is_some() { stage.values().count() } else { 0 };
            products += stage.products.iter().map(|p| self.product(p)).sum::<usize>();
        }
        let beyond = straight.saturating_sub(self.straight_line_budget);
        straight + beyond * self.beyond_budget / 10 + products + handed_over
    }

    /// Operations before any loops, and moves between lanes.
    pub fn straight_line(stage: &Ir) -> usize {
        let count = stage.count();
        count.total() + count.moves
    }

    fn product(&self, product: &Product) -> usize {
        let (rows, columns) = self.block;
        product.count().total() / self.looped_at_once + product.tiles(rows, columns) * self.per_block
    }
}
