/* Writes what is of one torque or acceleration, from its Hessian: element (i, j) of page k is entry (j, k) of a block. */
function _spread(i, blocks, tensors) {
    blocks.forEach((block, m) => {
        for (let k = 0; k < NV * NV; k++) tensors[m][NV * k + i] = block[k];
    });
}
