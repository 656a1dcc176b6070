//! Matrix products by loops after a graph, and their structurally nonzero terms.
//!
//! A humanoid's matrices are too large for straight-line products and too sparse for dense ones:
//! the tree makes most entries zero. Coordinates with the same ancestors and descendants form
//! groups: limbs or the trunk.

mod panels;

pub use panels::Panels;

use crate::array::ArrayId;
use crate::graph::OperationCount;

/// From the first to before the last.
pub type Range = (usize, usize);

/// Operation of a product and its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductKind {
    /// `-a x`, in place of `x`.
    Negative {
        /// The first factor.
        a: ArrayId,
        /// The second, and the result.
        x: ArrayId,
    },
    /// `g d g^T` with a diagonal `d`. Of each group's columns, the rows from the first column on
    /// are computed, then mirrored.
    Gram {
        /// The factor on both sides.
        g: ArrayId,
        /// The diagonal, as a vector.
        d: ArrayId,
        /// The result.
        out: ArrayId,
    },
}

/// A product by loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Operation and arrays.
    pub kind: ProductKind,
    /// Structurally nonzero terms.
    pub groups: Vec<ColumnGroup>,
}

/// Columns with the same terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnGroup {
    /// The columns.
    pub columns: Range,
    /// The rows, from the last block to the first; of a symmetric product those from the first
    /// column on, and perhaps some before.
    pub blocks: Vec<RowBlock>,
}

/// Rows that are sums over the same terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowBlock {
    /// The rows.
    pub rows: Range,
    /// Runs of terms.
    pub terms: Vec<Range>,
}

/// Entries of a square matrix that may be nonzero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    n: usize,
    entries: Vec<bool>,
}

impl Support {
    /// Support of size `n` with the entries (row, column) for which `holds` is true.
    pub fn new(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        Self { n, entries: (0..n * n).map(|k| holds(k % n, k / n)).collect() }
    }

    fn at(&self, row: usize, column: usize) -> bool {
        self.entries[column * self.n + row]
    }

    fn within(&self, rows: Range, columns: Range) -> bool {
        (columns.0..columns.1).any(|c| (rows.0..rows.1).any(|r| self.at(r, c)))
    }

    /// Entries on and below the diagonal.
    #[must_use]
    pub fn lower(&self) -> Self {
        Self::new(self.n, |r, c| c <= r && self.at(r, c))
    }

    /// Support of the transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::new(self.n, |r, c| self.at(c, r))
    }

    /// Support of a symmetric matrix's inverse: full wherever a path leads from one coordinate to
    /// another.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut tree: Vec<usize> = (0..self.n).collect();
        for c in 0..self.n {
            for r in 0..c {
                if self.at(r, c) && tree[r] != tree[c] {
                    let (kept, gone) = (tree[r], tree[c]);
                    tree.iter_mut().filter(|t| **t == gone).for_each(|t| *t = kept);
                }
            }
        }
        Self::new(self.n, |r, c| tree[r] == tree[c])
    }

    /// Runs of coordinates with the same relatives: limbs or the trunk.
    fn segments(&self) -> Vec<Range> {
        let related = |i: usize, j: usize| self.at(i, j) || self.at(j, i);
        let same = |i: usize, j: usize| (0..self.n).all(|k| related(i, k) == related(j, k));
        let mut segments: Vec<Range> = Vec::new();
        for i in 0..self.n {
            match segments.last_mut() {
                Some(last) if same(last.0, i) => last.1 = i + 1,
                _ => segments.push((i, i + 1)),
            }
        }
        segments
    }
}

/// Runs that are within one of each.
fn both(a: &[Range], b: &[Range]) -> Vec<Range> {
    let mut ends: Vec<usize> = a.iter().chain(b).map(|run| run.1).collect();
    ends.sort_unstable();
    ends.dedup();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(from, to)| (from, *to)).collect()
}

impl ProductKind {
    fn is_gram(self) -> bool {
        matches!(self, Self::Gram { .. })
    }
}

impl Product {
    /// `-a x`, in place of `x`.
    pub fn negative((a, a_support): (ArrayId, &Support), (x, x_support): (ArrayId, &Support)) -> Self {
        Self::new(ProductKind::Negative { a, x }, a_support, x_support)
    }

    /// `g d g^T` with a diagonal `d`.
    pub fn gram((g, g_support): (ArrayId, &Support), d: ArrayId, out: ArrayId) -> Self {
        Self::new(ProductKind::Gram { g, d, out }, g_support, &g_support.transpose())
    }

    /// Finds the terms of a product of two.
    fn new(kind: ProductKind, a_support: &Support, x_support: &Support) -> Self {
        // Rows of `a` may differ where those of `x` do not.
        let segments = both(&a_support.segments(), &x_support.segments());
        let terms = |rows: Range, of_columns: &[Range]| {
            let is_term = |k: &&Range| a_support.within(rows, **k);
            joined(of_columns.iter().filter(is_term).map(|k| (*k, ())))
                .into_iter()
                .map(|(run, ())| run)
                .collect()
        };
        let blocks = |columns: Range| -> Vec<(Range, Vec<Range>)> {
            // Few, where the tree branches much.
            let of_columns: Vec<Range> =
                segments.iter().copied().filter(|k| x_support.within(*k, columns)).collect();
            joined(segments.iter().map(|rows| (*rows, terms(*rows, &of_columns))))
        };
        let groups = joined(segments.iter().map(|columns| (*columns, blocks(*columns))));
        let groups = groups.into_iter().map(|(columns, blocks)| ColumnGroup {
            columns,
            blocks: blocks
                .into_iter()
                .filter(|(rows, _)| !kind.is_gram() || rows.1 > columns.0)
                .rev()
                .map(|(rows, terms)| RowBlock { rows, terms })
                .collect(),
        });
        let groups = groups.collect();
        Self { kind, groups }
    }

    /// Leaves out these columns, whose results are known.
    #[must_use]
    pub fn without_columns(mut self, known: &[usize]) -> Self {
        let split = |group: ColumnGroup| {
            let left = (group.columns.0..group.columns.1).filter(|c| !known.contains(c));
            joined(left.map(|c| ((c, c + 1), ())))
                .into_iter()
                .map(move |(columns, ())| ColumnGroup { columns, ..group.clone() })
        };
        self.groups = self.groups.into_iter().flat_map(split).collect();
        self
    }

    /// Returns whether this column of the result is a product and not its old content.
    pub fn makes_column(&self, column: usize) -> bool {
        self.groups.iter().any(|g| (g.columns.0..g.columns.1).contains(&column))
    }

    /// The product on other arrays.
    #[must_use]
    pub fn renumbered(self, to: impl Fn(ArrayId) -> ArrayId) -> Self {
        let kind = match self.kind {
            ProductKind::Negative { a, x } => ProductKind::Negative { a: to(a), x: to(x) },
            ProductKind::Gram { g, d, out } => ProductKind::Gram { g: to(g), d: to(d), out: to(out) },
        };
        Self { kind, ..self }
    }

    /// The arrays that it reads.
    pub fn factors(&self) -> [ArrayId; 2] {
        match self.kind {
            ProductKind::Negative { a, x } => [a, x],
            ProductKind::Gram { g, d, .. } => [g, d],
        }
    }

    /// The array that it writes.
    pub fn result(&self) -> ArrayId {
        match self.kind {
            ProductKind::Negative { x, .. } => x,
            ProductKind::Gram { out, .. } => out,
        }
    }

    /// Returns whether a zero at this entry of a factor must be written, because the loops read it
    /// or leave it in the result. The loops read further entries, without effect on results.
    pub fn needs(&self, factor: ArrayId, (row, column): (usize, usize)) -> bool {
        let within = |k: usize, range: &Range| (range.0..range.1).contains(&k);
        let is_term = |b: &RowBlock, k: usize| b.terms.iter().any(|run| within(k, run));
        let mut blocks = self.groups.iter().flat_map(|g| g.blocks.iter().map(move |b| (&g.columns, b)));
        let gram = self.kind.is_gram();
        if factor == self.factors()[0] {
            // In the other kind it is a result of its own.
            let read = |(columns, b): (&Range, &RowBlock)| {
                is_term(b, column) && (within(row, &b.rows) || within(row, columns))
            };
            return !gram || blocks.any(read);
        }
        let (mut read, mut made) = (gram, false);
        for (_, b) in blocks.filter(|(columns, _)| within(column, columns)) {
            read |= is_term(b, row);
            made |= within(row, &b.rows);
        }
        read || !made
    }

    /// Additions and multiplications of the product.
    pub fn count(&self) -> OperationCount {
        let mut count = OperationCount::default();
        for (columns, block) in self.blocks() {
            let (entries, terms) = (columns * length(block.rows), block.terms().count());
            count.muls += entries * terms;
            count.adds += entries * terms.saturating_sub(1);
        }
        if self.kind.is_gram() {
            // A group's last block has all the terms of its columns, which are scaled once.
            let scaled =
                |g: &ColumnGroup| length(g.columns) * g.blocks.last().map_or(0, |b| b.terms().count());
            count.muls += self.groups.iter().map(scaled).sum::<usize>();
        }
        count
    }

    /// Number of register blocks, with so many rows and columns, in its loops.
    pub fn tiles(&self, rows: usize, columns: usize) -> usize {
        self.groups.iter().map(|g| g.tiles(rows, columns)).sum()
    }

    /// Numbers of columns, and blocks that they have.
    fn blocks(&self) -> impl Iterator<Item = (usize, &RowBlock)> {
        self.groups.iter().flat_map(|g| g.blocks.iter().map(|b| (length(g.columns), b)))
    }
}

impl ColumnGroup {
    /// Multiplications of the group: one a term.
    pub fn multiplications(&self) -> usize {
        self.blocks.iter().map(|b| length(self.columns) * length(b.rows) * b.terms().count()).sum()
    }

    /// Number of register blocks, with so many rows and columns, in its loops.
    pub fn tiles(&self, rows: usize, columns: usize) -> usize {
        let each = self.blocks.iter().map(|b| length(b.rows).div_ceil(rows));
        length(self.columns).div_ceil(columns) * each.sum::<usize>()
    }
}

impl RowBlock {
    /// Each term.
    pub fn terms(&self) -> impl Iterator<Item = usize> + '_ {
        self.terms.iter().flat_map(|run| run.0..run.1)
    }
}

fn length(range: Range) -> usize {
    range.1 - range.0
}

/// Merges adjacent ranges of the same kind.
fn joined<T: PartialEq>(ranges: impl Iterator<Item = (Range, T)>) -> Vec<(Range, T)> {
    let mut out: Vec<(Range, T)> = Vec::new();
    for (range, kind) in ranges {
        match out.last_mut() {
            Some((last, known)) if last.1 == range.0 && *known == kind => last.1 = range.1,
            _ => out.push((range, kind)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trunk of two, and two limbs of two and one coordinates.
    fn tree() -> Support {
        let limb = [0, 0, 1, 1, 2];
        Support::new(5, move |r, c| limb[r] == limb[c] || limb[r] == 0 || limb[c] == 0)
    }

    #[test]
    fn terms_are_where_both_factors_are() {
        let d = tree();
        assert_eq!(d.segments(), [(0, 2), (2, 4), (4, 5)]);
        let product = Product::negative((ArrayId(0), &d.inverse()), (ArrayId(1), &d));
        let of = |columns, terms: &[Range]| ColumnGroup {
            columns,
            blocks: vec![RowBlock { rows: (0, 5), terms: terms.to_vec() }],
        };
        assert_eq!(
            product.groups,
            [of((0, 2), &[(0, 5)]), of((2, 4), &[(0, 4)]), of((4, 5), &[(0, 2), (4, 5)])]
        );
        assert_eq!(
            product.count(),
            OperationCount { adds: 40 + 30 + 10, muls: 50 + 40 + 15, ..Default::default() }
        );
    }

    #[test]
    fn rows_of_limbs_leave_out_other_limbs_where_columns_are_full() {
        let d = tree();
        let product = Product::negative((ArrayId(0), &d), (ArrayId(1), &d.inverse()));
        let blocks = [((4, 5), vec![(0, 2), (4, 5)]), ((2, 4), vec![(0, 4)]), ((0, 2), vec![(0, 5)])];
        let blocks = blocks.map(|(rows, terms)| RowBlock { rows, terms }).to_vec();
        assert_eq!(product.groups, [ColumnGroup { columns: (0, 5), blocks }]);
    }

    #[test]
    fn known_columns_are_left_out() {
        let d = tree();
        let product = Product::negative((ArrayId(0), &d.inverse()), (ArrayId(1), &d));
        let columns = |known: &[usize]| -> Vec<Range> {
            product.clone().without_columns(known).groups.iter().map(|g| g.columns).collect()
        };
        assert_eq!(columns(&[]), [(0, 2), (2, 4), (4, 5)]);
        assert_eq!(columns(&[0, 4]), [(1, 2), (2, 4)]);
        assert_eq!(columns(&[0, 1, 3]), [(2, 3), (4, 5)]);
    }

    #[test]
    fn factors_meet_in_common_ancestors() {
        let lower = tree().lower();
        let product = Product::gram((ArrayId(0), &lower), ArrayId(1), ArrayId(2));
        let trunk =
            ColumnGroup { columns: (0, 2), blocks: vec![RowBlock { rows: (0, 5), terms: vec![(0, 2)] }] };
        let first = ColumnGroup {
            columns: (2, 4),
            blocks: vec![
                RowBlock { rows: (4, 5), terms: vec![(0, 2)] },
                RowBlock { rows: (2, 4), terms: vec![(0, 4)] },
            ],
        };
        // Entries above the diagonal are mirrored.
        let own = vec![RowBlock { rows: (4, 5), terms: vec![(0, 2), (4, 5)] }];
        let second = ColumnGroup { columns: (4, 5), blocks: own };
        assert_eq!(product.groups, [trunk, first, second]);
        // Sums of 2, 2 and 4, and 3 terms for 10, 2 and 4, and 1 entries; 2, 4 and 3 terms scaled
        // in 2, 2 and 1 columns.
        let (muls, adds) = (2 * 12 + 4 * 4 + 3, 12 + 3 * 4 + 2);
        assert_eq!(product.count(), OperationCount { adds, muls: muls + 4 + 8 + 3, ..Default::default() });
    }

    #[test]
    fn an_inverse_fills_what_is_connected() {
        let chains = Support::new(4, |r, c| {
            r == c || (r.min(c), r.max(c)) == (0, 2) || (r.min(c), r.max(c)) == (2, 3)
        });
        let inverse = Support::new(4, |r, c| (r == 1) == (c == 1));
        assert_eq!(chains.inverse(), inverse);
    }
}
