/* Derivatives of u become those of integrate(q, u) = q + u. */
function _through(u, by_q) {
    _add_diagonal(by_q, 1);
}
