REAL sum = BEGIN;
for (unsigned r = 0; r < ROWS; r++) sum = RBD_FMA(RBD_AT(paths, part * ROWS + r), RBD_AT(FORCES, r), sum);
RBD_AT(reduced, part) = sum;
