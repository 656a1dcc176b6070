
/* out = m^-1 of a symmetric, positive definite m: m = L^T D L from the last row on, row k of L in column k of `out`, and
 * L^-1 in g. What the tree makes zero is left out. */
function _inverse(w, m, g, out) {
    const { n, pivots: d, t: { up, reach } } = w;
    for (let k = 0; k < n * n; k++) {
        out[k] = m[k];
        g[k] = 0;
    }
    for (let k = n - 1; k >= 0; k--) {
        const row = k * n;
        d[k] = 1 / out[row + k];
        g[row + k] = 1;
        for (let i = up[k]; i >= 0; i = up[i]) {
            const factor = out[row + i] * d[k], to = i * n;
            for (let j = i; j >= 0; j = up[j]) out[to + j] -= factor * out[row + j];
            out[row + i] = factor;
        }
    }
    /* Column k of L^-1 is complete when all that it carries have added to it. */
    for (let k = n - 1; k >= 0; k--) {
        for (let i = up[k]; i >= 0; i = up[i]) {
            const factor = out[k * n + i], from = k * n, to = i * n;
            for (let j = k; j < reach[k]; j++) g[to + j] -= factor * g[from + j];
        }
    }
    /* L^-1 D^-1 L^-T: entries of the columns that carry both. */
    for (let c = 0; c < n; c++) {
        const to = c * n;
        out.fill(0, to + c, to + n);
        for (let k = c; k >= 0; k = up[k]) {
            const from = k * n, x = g[from + c] * d[k];
            for (let i = c; i < reach[k]; i++) out[to + i] += g[from + i] * x;
        }
        for (let i = c + 1; i < n; i++) out[i * n + c] = out[to + i];
    }
}

/* out = a x + base, of a symmetric a. */
function _times(n, a, x, base, out) {
    for (let i = 0; i < n; i++) {
        let sum = base === null ? 0 : base[i];
        for (let k = 0; k < n; k++) sum += a[i * n + k] * x[k];
        out[i] = sum;
    }
}

/* x = -a x, with the inverse a of a mass matrix, which is zero between trees. */
function _minus_product(w, a, x) {
    const { n, low, high, guess: column } = w;
    for (let c = 0; c < n; c++) {
        const to = c * n;
        for (let k = 0; k < n; k++) {
            column[k] = -x[to + k];
            x[to + k] = 0;
        }
        for (let k = 0; k < n;) {
            const begin = low[k], end = high[k];
            if (column[k] === 0) {
                k++;
            } else if (low[k + 1] === begin && low[k + 2] === begin && low[k + 3] === begin) {
                /* Four columns of one tree at once. */
                const from = k * n, y0 = column[k], y1 = column[k + 1], y2 = column[k + 2], y3 = column[k + 3];
                for (let i = begin; i < end; i++) {
                    x[to + i] += a[from + i] * y0 + a[from + n + i] * y1 + a[from + 2 * n + i] * y2 + a[from + 3 * n + i] * y3;
                }
                k += 4;
            } else {
                const from = k * n, y = column[k];
                for (let i = begin; i < end; i++) x[to + i] += a[from + i] * y;
                k++;
            }
        }
    }
}

/* Three columns -x cross e, zero below. */
function _minus_cross(n, x, at, to, c) {
    to.fill(0, c * n, (c + 3) * n);
    to[c * n + 1] = -x[at + 2], to[c * n + 2] = x[at + 1];
    to[(c + 1) * n] = x[at + 2], to[(c + 1) * n + 2] = -x[at];
    to[(c + 2) * n] = -x[at + 1], to[(c + 2) * n + 1] = x[at];
}

/* Forward dynamics and its derivatives: those of inverse dynamics at the accelerations that there are, times M^-1. What
 * does not depend on accelerations is made once. `fext` may be null. */
function _aba_derivatives(w, q, v, tau, fext, ddq, dq, dv, minv, knows) {
    const { n, mass, bias, guess, left } = w;
    _gather(w, q, v);
    _placements(w, q);
    _velocities(w);
    _accelerations(w, null);
    _rates(w);
    _bodies(w, true, true, true);
    if (fext !== null) _external(w, fext, w.force, 6, true);
    _moments_of_subtrees(w, true);
    _forces_of_subtrees(w);
    _of_subtrees(w, true);
    _row_torques(w);
    _pairs(w, null, dv, mass);
    _joints_own(w, dv, mass);
    _torques(w, v, null, bias);
    _inverse(w, mass, w.factors, minv);
    /* Corrected once by what is left: each acceleration is right to its own rounding, not to that of the largest. */
    for (let k = 0; k < n; k++) bias[k] = tau[k] - bias[k];
    _times(n, minv, bias, null, guess);
    for (let k = 0; k < n; k++) ddq[k] = -guess[k];
    _times(n, mass, ddq, bias, left);
    _times(n, minv, left, guess, ddq);
    _accelerations(w, ddq);
    _rates(w);
    _bodies(w, false, false, true);
    if (fext !== null) _external(w, fext, w.force, 6, true);
    _forces_of_subtrees(w);
    _of_subtrees(w, true);
    _pairs(w, dq, null, null);
    _minus_product(w, minv, dq);
    _minus_product(w, minv, dv);
    if (!knows) return;
    /* Where a floating base is does not matter, turning it turns gravity, and its linear velocity enters as w x v. */
    dq.fill(0, 0, 3 * n);
    _minus_cross(n, w.start, 0, dq, 3);
    _minus_cross(n, v, 3, dv, 0);
}

/**
 * The loops of a robot. Arguments that may be null are zero then. Results are written whole.
 *
 * @param {Tables} tables The robot.
 */
export function tableLoops(tables) {
    const w = _work(tables);
    return {
        /* The mass matrix. */
        crba(q, m) {
            _gather(w, q, null);
            _placements(w, q);
            _velocities(w);
            _bodies(w, true, false, false);
            _moments_of_subtrees(w, false);
            _of_subtrees(w, false);
            _pairs(w, null, null, m);
            _joints_own(w, null, m);
        },
        /* Inverse dynamics; v, a and fext may be null. */
        rnea(q, v, a, fext, tau) {
            _gather(w, q, v);
            _placements(w, q);
            _velocities(w);
            _accelerations(w, a);
            _bodies(w, false, false, true);
            if (fext !== null) _external(w, fext, w.force, 6, true);
            _forces_of_subtrees(w);
            _row_torques(w);
            _torques(w, v, a, tau);
        },
        /* Inverse dynamics and its derivatives; fext may be null. */
        rnea_derivatives(q, v, a, fext, tau, dq, dv, da) {
            _gather(w, q, v);
            _placements(w, q);
            _velocities(w);
            _accelerations(w, a);
            _rates(w);
            _bodies(w, true, true, true);
            if (fext !== null) _external(w, fext, w.force, 6, true);
            _moments_of_subtrees(w, true);
            _forces_of_subtrees(w);
            _of_subtrees(w, true);
            _row_torques(w);
            _pairs(w, dq, dv, da);
            _joints_own(w, dv, da);
            _torques(w, v, a, tau);
        },
        aba: (q, v, tau, fext, ddq) => _aba(w, q, v, tau, fext, ddq),
        aba_derivatives: (q, v, tau, fext, ddq, dq, dv, minv, knows) => _aba_derivatives(w, q, v, tau, fext, ddq, dq, dv, minv, knows),
        rnea_hessian: (...of) => _rnea_hessian(w, ...of),
        inverse: (m, g, out) => _inverse(w, m, g, out),
    };
}
