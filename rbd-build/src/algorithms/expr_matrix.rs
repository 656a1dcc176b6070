//! Vectors and matrices over the degrees of freedom.

use rbd_ir::graph::{Expr, Value};
use std::ops::{Index, IndexMut};

/// A matrix of expressions (a vector has one column), zero until written.
#[derive(Clone)]
pub struct ExprMatrix<'g> {
    rows: usize,
    columns: usize,
    /// Column by column.
    entries: Vec<Expr<'g>>,
}

impl<'g> ExprMatrix<'g> {
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![Expr::ZERO; rows * columns] }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entries without their graph's lifetime, column by column.
    pub fn values(&self) -> Vec<Value> {
        self.entries.iter().map(|e| e.value()).collect()
    }

    /// One column.
    pub fn column(&self, j: usize) -> Self {
        let entries = self.entries[j * self.rows..(j + 1) * self.rows].to_vec();
        Self { rows: self.rows, columns: 1, entries }
    }

    pub fn map(&self, f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self {
            rows: self.rows,
            columns: self.columns,
            entries: self.entries.iter().copied().map(f).collect(),
        }
    }
}

impl<'g> Index<(usize, usize)> for ExprMatrix<'g> {
    type Output = Expr<'g>;
    fn index(&self, (i, j): (usize, usize)) -> &Expr<'g> {
        assert!(i < self.rows && j < self.columns);
        &self.entries[j * self.rows + i]
    }
}

impl<'g> IndexMut<(usize, usize)> for ExprMatrix<'g> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Expr<'g> {
        assert!(i < self.rows && j < self.columns);
        &mut self.entries[j * self.rows + i]
    }
}
