/* A pivot's reciprocal, zero where row j follows from others. */
const int is_held = RBD_AT(active, OF_ROW(j)) > HALF;
REAL own = RBD_AT(diagonal, j), largest = own, limit, reciprocal;
/* Beside the other two rows of the same unit. */
RBD_WHOLLY_UNROLLED
for (unsigned i = j / 3 * 3; i < j / 3 * 3 + 3; i++) {
    if (RBD_AT(diagonal, i) > largest) largest = RBD_AT(diagonal, i);
}
own = is_held ? own + RBD_AT(settings, 0) : 1;
largest = is_held ? largest + RBD_AT(settings, 0) : 1;
limit = own * LEAST;
if (limit < largest * ROUNDING) limit = largest * ROUNDING;
reciprocal = pivot - limit < TINY ? 0 : 1 / pivot;
