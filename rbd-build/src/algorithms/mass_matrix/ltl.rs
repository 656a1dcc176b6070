//! Symbolic linear algebra over the degrees of freedom. Structural zeros are never multiplied, so a
//! branching robot's sparsity is used without being spelt out.

use super::super::ExprMatrix;
use rbd_ir::graph::Expr;

/// Factors of `M = L^T D L`, L unit lower triangular (docs/math.md#ltl-factorisation).
///
/// Elimination from the last coordinate, which is a leaf, creates no fill-in across branches.
pub struct Ltl<'g> {
    l: ExprMatrix<'g>,
    d_inv: Vec<Expr<'g>>,
}

impl<'g> Ltl<'g> {
    pub fn new(m: &ExprMatrix<'g>) -> Self {
        let n = m.rows();
        let mut l = m.clone();
        let mut d_inv = vec![Expr::ZERO; n];
        for k in (0..n).rev() {
            d_inv[k] = l[(k, k)].recip();
            let scaled: Vec<Expr> = (0..k).map(|i| l[(k, i)] * d_inv[k]).collect();
            for i in 0..k {
                for j in 0..=i {
                    let change = scaled[i] * l[(k, j)];
                    l[(i, j)] -= change;
                }
            }
            for (i, x) in scaled.into_iter().enumerate() {
                l[(k, i)] = x;
            }
        }
        Self { l, d_inv }
    }

    /// `M^-1 b`.
    pub fn solve(&self, b: &ExprMatrix<'g>) -> ExprMatrix<'g> {
        let n = self.d_inv.len();
        let mut x = b.clone();
        for column in 0..b.columns() {
            for k in (0..n).rev() {
                for i in 0..k {
                    let change = self.l[(k, i)] * x[(k, column)];
                    x[(i, column)] -= change;
                }
            }
            for k in 0..n {
                let mut sum = x[(k, column)] * self.d_inv[k];
                for i in 0..k {
                    sum -= self.l[(k, i)] * x[(i, column)];
                }
                x[(k, column)] = sum;
            }
        }
        x
    }

    /// `M^-1`, each pair of entries computed once: `L^-1 D^-1 L^-T`.
    pub fn inverse(&self) -> ExprMatrix<'g> {
        let n = self.d_inv.len();
        let g = self.inverse_of_l();
        let mut inverse = ExprMatrix::zeros(n, n);
        for i in 0..n {
            let scaled: Vec<Expr> = (0..=i).map(|k| g[(i, k)] * self.d_inv[k]).collect();
            for j in 0..=i {
                let entry = (0..=j).map(|k| scaled[k] * g[(j, k)]).sum();
                inverse[(i, j)] = entry;
                inverse[(j, i)] = entry;
            }
        }
        inverse
    }

    /// `G = L^-1` and the diagonal of `D^-1`, with `M^-1 = G D^-1 G^T`.
    pub fn factors_of_inverse(&self) -> (ExprMatrix<'g>, ExprMatrix<'g>) {
        let mut diagonal = ExprMatrix::zeros(self.d_inv.len(), 1);
        for (k, d_inv) in self.d_inv.iter().enumerate() {
            diagonal[(k, 0)] = *d_inv;
        }
        (self.inverse_of_l(), diagonal)
    }

    /// `L^-1` by rows: `g_k = e_k - sum_{i<k} l_ki g_i`.
    fn inverse_of_l(&self) -> ExprMatrix<'g> {
        let n = self.d_inv.len();
        let mut g: ExprMatrix = ExprMatrix::zeros(n, n);
        for k in 0..n {
            g[(k, k)] = Expr::ONE;
            for j in 0..k {
                g[(k, j)] = -(j..k).map(|i| self.l[(k, i)] * g[(i, j)]).sum::<Expr>();
            }
        }
        g
    }
}

/// Inverse of a small symmetric positive definite matrix. Only the lower triangle is read.
pub fn inverse_symmetric<'g>(m: &ExprMatrix<'g>) -> ExprMatrix<'g> {
    Ltl::new(m).inverse()
}

/// `-a b`, structural zeros skipped.
pub fn minus_product<'g>(a: &ExprMatrix<'g>, b: &ExprMatrix<'g>) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(a.rows(), b.columns());
    for j in 0..b.columns() {
        for i in 0..a.rows() {
            out[(i, j)] = -(0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum::<Expr>();
        }
    }
    out
}
