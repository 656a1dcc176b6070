//! Tensors of second derivatives of forward dynamics (docs/math.md#second-derivatives).
//!
//! They overwrite tensors of inverse dynamics, from which they are computed.

use super::super::{LANES, Register, Tables};
use super::Given;
use super::dense::Dense;
use super::first::{Forces, clear};
use super::forward_dynamics::{First, Linearised};
use super::inverse::Padded;
use super::products::{COLUMNS, Columns, Take, for_product, for_related, minus_product_in_place, window};
use super::state::{Room, State};
use super::tensors::tensors;
use crate::Scalar;
use crate::limbs::Limbs;
use core::mem::MaybeUninit;

/// Adds a product to one column of every page. The product's entry `(row, page)` goes to that page.
struct Pages<'a, S> {
    out: &'a mut [S],
    n: usize,
    column: usize,
    /// True if column k of page `column` gets the product of column `column` of page k.
    mirror: bool,
    /// True if the product replaces the old content.
    replace: bool,
}

impl<S: Scalar, X: Register<Of = S>> Take<S, X> for Pages<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, row: usize, page: usize, x: X, count: usize) {
        let (n, column) = (self.n, self.column);
        let own = (page * n + column) * n + row;
        let mirrored = (column * n + page) * n + row;
        if count >= LANES {
            if let Some(to) = self.out.get_mut(own..).and_then(<[S]>::first_chunk_mut) {
                let sum = if self.replace { x } else { X::load(to) + x };
                sum.store(to);
            }
            if self.mirror
                && let Some(to) = self.out.get_mut(mirrored..).and_then(<[S]>::first_chunk_mut)
            {
                (X::load(to) + x).store(to);
            }
            return;
        }
        for (k, lane) in x.lanes().into_iter().enumerate().take(count) {
            if let Some(to) = self.out.get_mut(own + k) {
                *to = if self.replace { lane } else { *to + lane };
            }
            if self.mirror
                && let Some(to) = self.out.get_mut(mirrored + k)
            {
                *to += lane;
            }
        }
    }
}

/// Tensors by q and q, q and v, v and v, q and tau. `given.a` is tau.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn forward_tensors<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    given: &Given<'_, S>,
    first: First<'_, S>,
    out: [&mut [S]; 4],
) {
    let n = tables.damping.len().min(P);
    let [qq, qv, vv, qt] = out;
    let square = n * n;
    let (Some(dq), Some(dv)) = (qq.get_mut(..square), qv.get_mut(..square)) else { return };
    let [by_q, by_v, by_tau] = first.by;
    let into = First { ddq: first.ddq, by: [&mut *by_q, &mut *by_v, &mut *by_tau] };
    let mut room = MaybeUninit::uninit();
    let room = Room::within(&mut room);
    // SAFETY: `fill` follows before any read.
    let mut linearised = unsafe { Linearised::new() };
    let state = linearised.fill::<Q, X>(tables, given, into, [dq, dv], room);
    let Linearised { forces, inverse, .. } = &linearised;
    with_first::<S, X, P>(tables, (&state, forces), inverse, [by_q, by_v, by_tau], [qq, qv, vv, qt]);
}

/// Tensors from first derivatives `by` q, v and tau, and the state at the accelerations.
///
/// `inverse` is M^-1, padded.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn with_first<S: Scalar, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    (state, forces): (&State<'_, S, P>, &Forces<S, P>),
    inverse: &Padded<S, P>,
    [by_q, by_v, by_tau]: [&[S]; 3],
    [qq, qv, vv, qt]: [&mut [S]; 4],
) {
    let (topology, n) = (&tables.topology, tables.damping.len().min(P));
    let square = n * n;
    // Tensors of inverse dynamics first.
    clear(qq);
    clear(qv);
    clear(vv);
    clear(qt);
    let mut dense = Dense::new(tables, [&mut *qq, &mut *qv, &mut *vv, &mut *qt]);
    tensors::<S, X, P>(state, forces, &mut dense);
    let mut kept = [[S::zero(); P]; COLUMNS];
    for tensor in [&mut *qq, &mut *qv, &mut *vv] {
        for page in 0..n {
            if let Some(of) = tensor.get_mut(page * square..(page + 1) * square) {
                minus_product_in_place::<S, X, P>(topology, n, inverse, of, page, &mut kept);
            }
        }
    }

    // Then the terms with derivatives of M, which are in the last tensor.
    // M does not depend on the pose of a floating base that carries everything.
    let fixed = if state.floats() { 6 } else { 0 };
    let mut e: Padded<S, P> = [[S::zero(); P]; P];
    let mut number = 0;
    while let Some((from, to, ranges)) = window(topology, n, number) {
        number += 1;
        for column in from.max(fixed)..to {
            // Matrix E = -M^-1 dM/dq_c, padded. Column `column` of each page holds dM/dq_c.
            let by_one = Columns { of: &*qt, at: column * n, stride: square };
            for_related::<S, X, P>(n, inverse, by_one, ranges, &mut PaddedColumns { out: &mut e });
            let mut pages = Pages { out: &mut *qq, n, column, mirror: true, replace: false };
            for_product::<S, X, P>(n, &e, Columns::new(by_q, n), ranges, &mut pages);
            let mut pages = Pages { out: &mut *qv, n, column, mirror: false, replace: false };
            for_product::<S, X, P>(n, &e, Columns::new(by_v, n), ranges, &mut pages);
            let mut pages = Pages { out: &mut *qt, n, column, mirror: false, replace: true };
            for_product::<S, X, P>(n, &e, Columns::new(by_tau, n), ranges, &mut pages);
        }
    }
}

/// Takes a product, negated, as padded columns.
struct PaddedColumns<'a, S, const P: usize> {
    out: &'a mut Padded<S, P>,
}

impl<S: Scalar, X: Register<Of = S>, const P: usize> Take<S, X> for PaddedColumns<'_, S, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, row: usize, column: usize, x: X, _: usize) {
        let column = self.out.get_mut(column).and_then(|c| c.get_mut(row..)).and_then(<[S]>::first_chunk_mut);
        if let Some(out) = column {
            (-x).store(out);
        }
    }
}
