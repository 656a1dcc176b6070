/* The rate of u under the velocity v at q + u. */
function _find_rate(u, v, to) {
    to.set(v);
}

function _find_rate_moved(u, v, by_u, by_v, to) {
    to.set(by_v);
}
