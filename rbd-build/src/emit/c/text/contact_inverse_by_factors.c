
/* The inverse of the mass matrix after its factors. */
static void ROBOT_hold_inverse(TAKES const REAL *const at[3], const ROBOT_hold_mass *mass, REAL *minv)
{
    UNREAD
    ROBOT_hold_clear(minv, SIZE * SIZE);
    ROBOT_hold_kernel_inverse(at[0], at[1], at[2], mass->factors, mass->pivots, minv);
}
