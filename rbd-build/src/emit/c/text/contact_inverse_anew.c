
/* The inverse of the mass matrix, which takes less code anew than after its factors. */
static void ROBOT_hold_inverse(TAKES const REAL *const at[3], const ROBOT_hold_mass *mass, REAL *minv)
{
    UNREAD
    (void)mass;
    ROBOT_minv_at(at[0], at[1], at[2], minv);
}
