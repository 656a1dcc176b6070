/* Rows of one column of a _column, from entry `to` of out on, as sums over runs of terms; where the table goes on. A
 * table has for each group of columns the first, the one after the last, and how many blocks of rows; for each of these
 * the first row, the one after the last, how many runs of terms, and of each run the first and the one after the last.
 * Four rows at once: an engine then keeps four sums in registers, and looks at the table a quarter as often. */
function _blocks(n, a, out, to, table, at, blocks) {
    for (; blocks > 0; blocks--) {
        const end = table[at + 1], next = at + 3 + 2 * table[at + 2];
        let row = table[at];
        for (; row + 4 <= end; row += 4) {
            let sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
            for (let run = at + 3; run < next; run += 2) {
                const last = table[run + 1];
                for (let k = table[run]; k < last; k++) {
                    const from = k * n + row, x = _column[k];
                    sum0 = a[from] * x + sum0;
                    sum1 = a[from + 1] * x + sum1;
                    sum2 = a[from + 2] * x + sum2;
                    sum3 = a[from + 3] * x + sum3;
                }
            }
            out[to + row] = sum0;
            out[to + row + 1] = sum1;
            out[to + row + 2] = sum2;
            out[to + row + 3] = sum3;
        }
        for (; row < end; row++) {
            let sum = 0;
            for (let run = at + 3; run < next; run += 2) {
                for (let k = table[run]; k < table[run + 1]; k++) sum = a[k * n + row] * _column[k] + sum;
            }
            out[to + row] = sum;
        }
        at = next;
    }
    return at;
}

