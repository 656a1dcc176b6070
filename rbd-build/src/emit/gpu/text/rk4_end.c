for (unsigned k = 0; k < SIZE; k++) RBD_AT(v_next, k) += RBD_AT(v, k);
