/* Derivatives of a joint's rate by u and by v. */
function _rate_jacobians(joint, u, v) {
    const n = joint.nv, a = _bracket(joint, u), b = _bracket(joint, v), of_both = _bracket(joint, _times(a, v));
    const by_u = _small_product(a, b, n, -1 / 12, b.map((x, k) => -x / 2 - of_both[k] / 12));
    const by_v = _small_product(a, a, n, 1 / 12, a.map((x, k) => x / 2 + (k % (n + 1) === 0 ? 1 : 0)));
    return [by_u, by_v];
}

/* Gradients of the weighted rate by u and v; adds its Hessian. */
function _find_rate_back(weight, { along, now, of_along, of_now }, to_u, to_v, out) {
    to_u.fill(0);
    to_v.set(weight);
    for (const joint of _turning) {
        const { idx_v: at, nv: n } = joint, own = (x) => x.slice(at, at + n);
        const u = own(along), v = own(now), w = own(weight), [by_u, by_v] = _rate_jacobians(joint, u, v);
        to_u.set(_turned_times(by_u, w), at);
        to_v.set(_turned_times(by_v, w), at);
        /* uu = (W ad_v + (W ad_v)^T) / 12, uv = -W/2 - (W ad_u + W(ad_u^T weight)) / 12 */
        const a = _bracket(joint, u), dual = _dual_bracket(joint, w), moved = _dual_bracket(joint, _turned_times(a, w));
        const once = _small_product(dual, _bracket(joint, v), n, 1 / 12), other = _transposed(once, n);
        const uu = once.map((x, k) => x + other[k]);
        const uv = _small_product(dual, a, n, -1 / 12, dual.map((x, k) => -x / 2 - moved[k] / 12));
        const vu = _transposed(uv, n);
        for (const [block, x, y] of _BLOCKS) {
            _add_sandwich(out[block], of_along[x], uu, of_along[y], at, n);
            _add_sandwich(out[block], of_along[x], uv, of_now[y], at, n);
            _add_sandwich(out[block], of_now[x], vu, of_along[y], at, n);
        }
    }
}
