/* Memory of steps while they run, and the joints that are no sums of coordinates. */
const _along = new Float64Array(NV);
const _turning = JOINTS.filter((joint) => joint.mimic === null && joint.nv > 1);

/* to = s from */
function _scaled(to, from, s) {
    for (let k = 0; k < to.length; k++) to[k] = s * from[k];
}

/* Adds x to the diagonal of a matrix of NV columns. */
function _add_diagonal(to, x) {
    for (let k = 0; k < NV; k++) to[(NV + 1) * k] += x;
}
