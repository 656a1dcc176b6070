/* The rate of u under the velocity v at integrate(q, u): v + [u, v]/2 + [u, [u, v]]/12. */
function _find_rate(u, v, to) {
    to.set(v);
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, a = _bracket(joint, u.slice(at, at + n));
        const once = _times(a, v.slice(at, at + n)), twice = _times(a, once);
        for (let i = 0; i < n; i++) to[at + i] += once[i] / 2 + twice[i] / 12;
    }
}

/* Derivatives of the rate, from those of u and of v. */
function _find_rate_moved(u, v, by_u, by_v, to) {
    to.set(by_v);
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, own = (x) => x.slice(at, at + n);
        const a = _bracket(joint, own(u)), of_v = _bracket(joint, own(v));
        const of_once = _bracket(joint, _times(a, own(v)));
        for (let c = 0; c < NV; c++) {
            const from = NV * c + at, du = by_u.slice(from, from + n), dv = by_v.slice(from, from + n);
            /* d[u, v] = [u, dv] - [v, du], and d[u, [u, v]] = [u, d[u, v]] - [[u, v], du] */
            const forward = _times(a, dv), back = _times(of_v, du), once = forward.map((x, i) => x - back[i]);
            const further = _times(a, once), again = _times(of_once, du);
            for (let i = 0; i < n; i++) to[from + i] += once[i] / 2 + (further[i] - again[i]) / 12;
        }
    }
}
