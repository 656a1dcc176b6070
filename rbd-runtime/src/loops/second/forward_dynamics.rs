//! Value, gradient and Hessians of `lambda . ddq` (docs/math.md#contracted-second-derivatives), with the first derivatives of
//! forward dynamics, which they need.

use super::super::{LANES, Register, Tables};
use super::contracted::{self, Forces, Hessian, Jacobians};
use super::inverse::{Factors, Padded, minus_product, product};
use super::state::{Given, State, element};
use super::vectors::dot;
use crate::Scalar;

/// Forward dynamics and its first derivatives, column after column.
pub struct First<'a, S> {
    /// Accelerations.
    pub ddq: &'a mut [S],
    /// Derivatives by q, v and tau.
    pub by: [&'a mut [S]; 3],
}

/// A state with the accelerations of forward dynamics, and what its derivatives are made of.
pub struct Linearised<S, const P: usize> {
    /// At these accelerations.
    pub state: State<S, P>,
    /// Of that state.
    pub forces: Forces<S, P>,
    /// `M^-1`.
    pub inverse: Padded<S, P>,
    /// Accelerations.
    pub ddq: [S; P],
    /// `-M^-1 lambda`.
    pub mu: [S; P],
}

impl<S: Scalar, const P: usize> Linearised<S, P> {
    /// Fills `first` as well. `given.a` is tau, and `given.mu` lambda. Derivatives of inverse dynamics by q and v stay behind
    /// in `work`.
    #[inline(always)]
    pub fn new<X: Register<S>>(
        tables: &Tables<'_, P>,
        given: &Given<'_, S>,
        first: First<'_, S>,
        work: [&mut [S]; 2],
    ) -> Self {
        let (topology, n) = (&tables.topology, tables.damping.len().min(P));
        let mut state = State::<S, P>::zeros();
        let at_rest = Given { a: &[], mu: &[], ..*given };
        state.fill_without_multiplier::<X>(tables, &at_rest);
        let [by_q, by_v, by_tau] = first.by;
        let forces = Forces::new::<X>(tables, &state);
        forces.mass::<X>(tables, &state, by_tau);
        let factors = Factors::new(tables, by_tau);

        let (mut ddq, mut mu) = ([S::zero(); P], [S::zero(); P]);
        for c in 0..n {
            let damping = S::from_f64(tables.damping[c]);
            ddq[c] = (-damping).mul_add(element(given.v, c), element(given.a, c));
            mu[c] = -element(given.mu, c);
        }
        let mut row = 0;
        while row < topology.rows {
            let tau = dot(state.s.load::<X>(row), state.force.load::<X>(row)).lanes();
            for k in 0..(topology.rows - row).min(LANES) {
                let c = if row + k < topology.coordinate.len() {
                    usize::from(topology.coordinate[row + k])
                } else {
                    P
                };
                if c < n {
                    ddq[c] -= tau[k];
                }
            }
            row += LANES;
        }
        // Once more for what is left: derivatives magnify an error of ddq by M^-1.
        for x in [&mut ddq, &mut mu] {
            let wanted = *x;
            factors.solve(x);
            let mut rest = [S::zero(); P];
            for r in 0..n {
                rest[r] = wanted[r];
                for c in 0..n {
                    rest[r] = (-element(by_tau, c * n + r)).mul_add(x[c], rest[r]);
                }
            }
            factors.solve(&mut rest);
            for c in 0..n {
                x[c] += rest[c];
            }
        }
        for c in 0..n.min(first.ddq.len()) {
            first.ddq[c] = ddq[c];
        }
        let mut inverse: Padded<S, P> = [[S::zero(); P]; P];
        factors.inverse::<X>(&mut inverse);
        for c in 0..n {
            for r in 0..n {
                if c * n + r < by_tau.len() {
                    by_tau[c * n + r] = inverse[c][r];
                }
            }
        }
        let accelerated = Given { a: &ddq, mu: &mu, ..*given };
        state.accelerate::<X>(tables, &accelerated);
        let forces = Forces::new::<X>(tables, &state);
        let [dq, dv] = work;
        forces.jacobians::<X>(tables, &state, Jacobians { by: [&mut *dq, &mut *dv] });
        minus_product::<S, X, P>(topology, n, &inverse, dq, by_q, None);
        minus_product::<S, X, P>(topology, n, &inverse, dv, by_v, None);
        Self { state, forces, inverse, ddq, mu }
    }
}

/// Both of this file's results. `given.a` is tau, and `given.mu` lambda; the third variable of the Hessian is tau.
#[inline(always)]
pub fn hessian<S: Scalar, X: Register<S>, const P: usize>(
    tables: &Tables<'_, P>,
    given: &Given<'_, S>,
    first: First<'_, S>,
    out: Hessian<'_, S>,
) {
    let (topology, n) = (&tables.topology, tables.damping.len().min(P));
    let [qq, qv, vv, qt] = out.blocks;
    let [by_q, by_v, by_tau] = first.by;
    let into = First { ddq: first.ddq, by: [&mut *by_q, &mut *by_v, &mut *by_tau] };
    let Linearised { state, forces, inverse, ddq, mu } =
        Linearised::new::<X>(tables, given, into, [&mut *qq, &mut *qv]);

    let [dq, dv, dt] = out.gradient;
    let blocks = [&mut *qq, &mut *qv, &mut *vv, &mut *qt];
    let of_tau = Hessian { value: &mut *out.value, gradient: [dq, dv, &mut *dt], blocks };
    contracted::hessian::<S, X, P>(tables, &state, &forces, [given.v, &ddq, &mu], of_tau);
    let mut value = S::zero();
    for c in 0..n {
        if c < dt.len() {
            dt[c] = -mu[c];
        }
        value = element(given.mu, c).mul_add(ddq[c], value);
    }
    if let Some(to) = out.value.first_mut() {
        *to = value;
    }

    // Z, then its products with the first derivatives.
    let mut z = inverse;
    for c in 0..n {
        for r in 0..n {
            z[c][r] = element(qt, c * n + r);
        }
    }
    let mut y = [[S::zero(); P]; P];
    let y = y.as_flattened_mut();
    product::<S, X, P>(topology, n, &z, by_v, y);
    for (to, y) in qv.iter_mut().zip(&*y) {
        *to += *y;
    }
    product::<S, X, P>(topology, n, &z, by_tau, qt);
    product::<S, X, P>(topology, n, &z, by_q, y);
    for c in 0..n {
        for r in 0..n {
            let at = c * n + r;
            if at < qq.len() {
                qq[at] += element(y, at) + element(y, r * n + c);
            }
        }
    }
}
