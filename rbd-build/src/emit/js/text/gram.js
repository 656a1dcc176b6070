/* out = g d g^T with a diagonal d: of each column the rows from the diagonal on, and then the mirror image. */
function _gram_product(n, g, d, out, table) {
    for (let next = 0; next < table.length;) {
        const group = next;
        for (let column = table[group]; column < table[group + 1]; column++) {
            for (let k = 0; k < n; k++) _column[k] = g[k * n + column] * d[k];
            next = _blocks(n, g, out, column * n, table, group + 3, table[group + 2]);
        }
    }
    for (let column = 0; column < n; column++) {
        for (let row = column + 1; row < n; row++) out[row * n + column] = out[column * n + row];
    }
}

