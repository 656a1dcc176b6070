/* x = -a x. */
function _negative_product(n, a, x, table) {
    for (let next = 0; next < table.length;) {
        const group = next;
        for (let column = table[group]; column < table[group + 1]; column++) {
            for (let k = 0; k < n; k++) _column[k] = -x[column * n + k];
            next = _blocks(n, a, x, column * n, table, group + 3, table[group + 2]);
        }
    }
}

