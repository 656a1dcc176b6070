//! Panels of columns, and their terms, by which loops factor and invert a mass matrix.
//!
//! Coordinates with the same relatives are adjacent columns, at most four in a panel. The tree is
//! the matrix's elimination tree, not the robot's. If joints share a coordinate, factors have
//! entries that the matrix has not, and the elimination tree has longer paths than the robot
//! (docs/math.md#inverse-of-the-mass-matrix).

use super::{ColumnGroup, Range, RowBlock, Support, joined, length};

/// Columns of a panel.
const COLUMNS: usize = 4;

/// Rows that share their terms, where fewer would have fewer.
const ROWS: usize = 8;

/// The loops of `rbd_runtime::linalg::SymmetricInverse`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panels {
    /// Groups of the factorisation, from the last panel to the first.
    pub factor: Vec<ColumnGroup>,
    /// Groups of the inversion of L, with the same panels.
    pub invert: Vec<ColumnGroup>,
    /// Groups of the product of the inverse's factors.
    pub gram: Vec<ColumnGroup>,
}

/// The elimination tree: row `r` of L may have an entry in column `c` only if `descends(r, c)`.
struct Tree {
    parent: Vec<Option<usize>>,
    entries: Support,
}

impl Tree {
    fn of(matrix: &Support) -> Self {
        let n = matrix.n;
        let mut above: Vec<Vec<usize>> =
            (0..n).map(|k| (0..k).filter(|&i| matrix.at(k, i)).collect()).collect();
        for k in (0..n).rev() {
            // Eliminating a row's last entry moves its other entries to that entry's row.
            if let Some((&parent, rest)) = above[k].clone().split_last() {
                above[parent].extend(rest);
                above[parent].sort_unstable();
                above[parent].dedup();
            }
        }
        let parent: Vec<Option<usize>> = above.iter().map(|above| above.last().copied()).collect();
        let mut on_path = vec![false; n * n];
        for row in 0..n {
            for column in std::iter::successors(Some(row), |&k| parent[k]) {
                on_path[column * n + row] = true;
            }
        }
        Self { parent, entries: Support { n, entries: on_path } }
    }

    fn descends(&self, row: usize, column: usize) -> bool {
        self.entries.at(row, column)
    }

    /// Runs of coordinates, each of which carries only the next.
    fn runs(&self) -> Vec<Range> {
        let n = self.parent.len();
        let mut children = vec![0; n];
        self.parent.iter().flatten().for_each(|&p| children[p] += 1);
        let follows = |k: usize| k > 0 && self.parent[k] == Some(k - 1) && children[k - 1] == 1;
        let starts: Vec<usize> = (0..n).filter(|&k| !follows(k)).chain([n]).collect();
        starts.windows(2).map(|w| (w[0], w[1])).collect()
    }
}

/// Divides a range into the fewest parts of at most `most` coordinates, as equal as possible.
fn parts(range: Range, most: usize) -> impl Iterator<Item = Range> {
    let (n, count) = (length(range), length(range).div_ceil(most));
    (0..count).map(move |k| (range.0 + n * k / count, range.0 + n * (k + 1) / count))
}

/// Adjacent ranges become one.
fn merged(ranges: impl Iterator<Item = Range>) -> Vec<Range> {
    joined(ranges.map(|range| (range, ()))).into_iter().map(|(range, ())| range).collect()
}

/// Blocks of rows, from the last to the first.
fn blocks(rows: impl Iterator<Item = (Range, Vec<Range>)>) -> Vec<RowBlock> {
    joined(rows).into_iter().rev().map(|(rows, terms)| RowBlock { rows, terms }).collect()
}

impl Panels {
    /// Panels of a symmetric matrix with this support, both triangles.
    pub fn new(matrix: &Support) -> Self {
        let tree = Tree::of(matrix);
        let runs = tree.runs();
        let panels: Vec<Range> = runs.iter().flat_map(|run| parts(*run, COLUMNS)).collect();
        let rows: Vec<Range> = runs.iter().flat_map(|run| parts(*run, ROWS)).collect();
        let descends = |r: Range, c: Range| r.0 >= c.0 && tree.descends(r.0.max(c.1 - 1), c.0);
        let factor = |panel: Range| {
            let beyond = || panels.iter().copied().filter(move |k| k.0 >= panel.1 && descends(*k, panel));
            let terms = merged(beyond());
            let above = panels.iter().copied().filter(|r| r.0 <= panel.0 && descends(panel, *r));
            ColumnGroup { columns: panel, blocks: blocks(above.map(|r| (r, terms.clone()))) }
        };
        let invert = |panel: Range| {
            // Rows that share a panel's run begin with the first beyond it.
            let below = rows.iter().map(|r| (r.0.max(panel.1), r.1));
            let below = below.filter(|r| r.0 < r.1 && tree.descends(r.0, panel.0));
            let terms = |r: Range| {
                let on_path = |k: &Range| k.0 >= panel.1 && k.0 < r.1 && tree.descends(r.1 - 1, k.0);
                merged(panels.iter().copied().filter(on_path))
            };
            ColumnGroup { columns: panel, blocks: blocks(below.map(|r| (r, terms(r)))) }
        };
        let gram = |panel: Range| {
            let below = runs.iter().map(|r| (r.0.max(panel.0), r.1)).filter(|r| r.0 < r.1);
            let terms = |r: Range| {
                let common = |k: &Range| {
                    k.0 < panel.1 && tree.descends(panel.1 - 1, k.0) && tree.descends(r.1 - 1, k.0)
                };
                merged(panels.iter().copied().filter(common))
            };
            ColumnGroup { columns: panel, blocks: blocks(below.map(|r| (r, terms(r)))) }
        };
        Self {
            factor: panels.iter().rev().map(|p| factor(*p)).collect(),
            invert: panels.iter().rev().map(|p| invert(*p)).collect(),
            gram: panels.iter().map(|p| gram(*p)).collect(),
        }
    }

    /// Number of rows of the matrix.
    pub fn n(&self) -> usize {
        self.gram.last().map_or(0, |g| g.columns.1)
    }

    /// Rows and columns where the inverse is zero: coordinates that have nothing in common.
    pub fn zeros(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let blocks = self.gram.iter().flat_map(|g| g.blocks.iter().map(|b| (g.columns, b)));
        let below = blocks.filter(|(_, b)| b.terms.is_empty()).flat_map(|(columns, b)| {
            (columns.0..columns.1).flat_map(move |c| (b.rows.0..b.rows.1).map(move |r| (r, c)))
        });
        below.flat_map(|(r, c)| [(r, c), (c, r)])
    }

    /// All groups of all loops.
    pub fn groups(&self) -> impl Iterator<Item = &ColumnGroup> {
        self.factor.iter().chain(&self.invert).chain(&self.gram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(rows: Range, terms: &[Range]) -> RowBlock {
        RowBlock { rows, terms: terms.to_vec() }
    }

    #[test]
    fn panels_of_a_trunk_and_two_limbs() {
        // A trunk of two, and limbs of five and one.
        let limb = |k: usize| [0, 0, 1, 1, 1, 1, 1, 2][k];
        let related = |r, c| limb(r) == limb(c) || limb(r) == 0 || limb(c) == 0;
        let panels = Panels::new(&Support::new(8, related));
        let columns: Vec<Range> = panels.factor.iter().map(|g| g.columns).collect();
        assert_eq!(columns, [(7, 8), (4, 7), (2, 4), (0, 2)]);
        assert_eq!(panels.factor[0].blocks, [block((7, 8), &[]), block((0, 2), &[])]);
        assert_eq!(panels.factor[1].blocks, [block((0, 7), &[])]);
        assert_eq!(panels.factor[2].blocks, [block((0, 4), &[(4, 7)])]);
        assert_eq!(panels.factor[3].blocks, [block((0, 2), &[(2, 8)])]);
        assert_eq!(panels.invert[0].blocks, []);
        assert_eq!(panels.invert[2].blocks, [block((4, 7), &[(4, 7)])]);
        assert_eq!(panels.invert[3].blocks, [block((7, 8), &[(7, 8)]), block((2, 7), &[(2, 7)])]);
        assert_eq!(panels.gram[1].blocks, [block((7, 8), &[(0, 2)]), block((2, 7), &[(0, 4)])]);
    }

    /// Coordinates 1 and 3 belong to limbs side by side that share coordinate 0 and mimic each
    /// other's joints. So 1 and 3 are related as well, and eliminating 3 relates 2 to both.
    #[test]
    fn what_is_filled_in_has_a_path() {
        let pairs = [(1, 3), (2, 3)];
        let tree = Tree::of(&Support::new(4, |r, c| r == c || pairs.contains(&(r.min(c), r.max(c)))));
        assert_eq!(tree.parent, [None, None, Some(1), Some(2)]);
        assert!(tree.descends(3, 1) && tree.descends(2, 1) && !tree.descends(1, 0));
        assert_eq!(tree.runs(), [(0, 1), (1, 4)]);
    }
}
