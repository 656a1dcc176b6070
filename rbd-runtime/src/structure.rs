//! Structure of matrices: which entries are zero in every state.

use crate::tables::same;

/// Entries of a function's matrix that can differ from zero. All others are zero in every state.
///
/// Generated robots have it as `Robot::structure("rnea_derivatives", "dtau_dq")`. Sparse solvers take
/// [`Self::nonzeros`], which come column by column, as compressed sparse columns need them.
///
/// ```
/// # use rbd_runtime::Structure;
/// // Two columns of two rows: the upper triangle.
/// let structure = Structure::new("crba", "m", (2, 2), &[0b1101]);
/// assert!(structure.is_zero(1, 0));
/// assert_eq!(structure.nonzeros().collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 1)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure<'a> {
    function: &'a str,
    output: &'a str,
    rows: usize,
    columns: usize,
    /// An entry a bit, column by column.
    bits: &'a [u64],
}

impl<'a> Structure<'a> {
    /// The structure of a result of a function. Bit `column * rows + row` of `bits` says that the entry can
    /// differ from zero. Entries beyond the last bit are zero.
    #[must_use]
    pub const fn new(
        function: &'a str,
        output: &'a str,
        (rows, columns): (usize, usize),
        bits: &'a [u64],
    ) -> Self {
        Self { function, output, rows, columns, bits }
    }

    /// Name of the function.
    #[must_use]
    pub const fn function(&self) -> &'a str {
        self.function
    }

    /// Name of the result, such as `ddq_dq`.
    #[must_use]
    pub const fn output(&self) -> &'a str {
        self.output
    }

    /// Number of rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// An entry a bit: bit `column * rows + row` says that it can differ from zero.
    pub const fn words(&self) -> &'a [u64] {
        self.bits
    }

    /// True if the entry is zero in every state, and outside of the matrix.
    #[must_use]
    pub const fn is_zero(&self, row: usize, column: usize) -> bool {
        if row >= self.rows || column >= self.columns {
            return true;
        }
        let at = column * self.rows + row;
        at / 64 >= self.bits.len() || (self.bits[at / 64] >> (at % 64)) & 1 == 0
    }

    /// Number of entries that can differ from zero.
    #[must_use]
    pub const fn count(&self) -> usize {
        let (mut count, mut column) = (0, 0);
        while column < self.columns {
            let mut row = 0;
            while row < self.rows {
                count += !self.is_zero(row, column) as usize;
                row += 1;
            }
            column += 1;
        }
        count
    }

    /// Row and column of each entry that can differ from zero: column by column, rows in order.
    pub fn nonzeros(self) -> impl Iterator<Item = (usize, usize)> + 'a {
        (0..self.columns)
            .flat_map(move |column| (0..self.rows).map(move |row| (row, column)))
            .filter(move |(row, column)| !self.is_zero(*row, *column))
    }
}

/// The structure of the result `output` of `function`, also at compile time.
#[must_use]
pub const fn find_structure<'a>(
    structures: &[Structure<'a>],
    function: &str,
    output: &str,
) -> Option<Structure<'a>> {
    let mut i = 0;
    while i < structures.len() {
        if same(structures[i].function, function) && same(structures[i].output, output) {
            return Some(structures[i]);
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_entries_by_columns() {
        // 9 rows, 8 columns: 72 entries in two words; only (0, 0), (1, 7) and (8, 7) can differ from zero.
        let bits = [1, 1 << (64 - 64) | 1 << (71 - 64)];
        let structure = Structure::new("f", "x", (9, 8), &bits);
        assert!(structure.nonzeros().eq([(0, 0), (1, 7), (8, 7)]));
        assert_eq!((structure.count(), structure.rows(), structure.columns()), (3, 9, 8));
        // Outside of the matrix, and where bits are missing.
        assert!(structure.is_zero(9, 0) && structure.is_zero(0, 8));
        assert_eq!(Structure::new("f", "x", (9, 8), &[]).count(), 0);
    }

    #[test]
    fn structures_are_found_by_both_names() {
        const ALL: [Structure<'static>; 2] =
            [Structure::new("f", "x", (1, 1), &[1]), Structure::new("f", "y", (1, 1), &[0])];
        const Y: Option<Structure<'static>> = find_structure(&ALL, "f", "y");
        assert_eq!(Y, Some(ALL[1]));
        assert_eq!(find_structure(&ALL, "g", "x"), None);
        assert_eq!(find_structure(&ALL, "f", "z"), None);
    }
}
