{
    REAL from[COORDINATES], u[COUNT], to[COORDINATES];
    for (unsigned k = 0; k < COORDINATES; k++) from[k] = RBD_AT(q, BEGIN + k);
    for (unsigned k = 0; k < COUNT; k++) u[k] = ALONG;
    ROBOT_integrate_KIND(from, u, to);
    for (unsigned k = 0; k < COORDINATES; k++) RBD_AT(TO, BEGIN + k) = to[k];
}
