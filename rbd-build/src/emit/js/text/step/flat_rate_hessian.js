/* Gradients of the weighted rate by u and v. */
function _find_rate_back(weight, stage, to_u, to_v) {
    to_u.fill(0);
    to_v.set(weight);
}
