REAL sum = RBD_AT(reduced, part);
for (unsigned r = 0; r < ROWS; r++) sum = RBD_FMA(RBD_AT(paths, part * ROWS + r), RBD_AT(forces, r), sum);
RBD_AT(reduced, part) = sum;
