
/* No columns of derivatives are known. */
typedef struct {
    int none;
} ROBOT_hold_known;

static void ROBOT_hold_take_root(const ROBOT_rnea_derivatives_t *torques, ROBOT_hold_known *known)
{
    (void)torques;
    known->none = 0;
}

static void ROBOT_hold_add_root(const ROBOT_hold_known *known, const ROBOT_contact_dynamics_derivatives_t *out)
{
    (void)known;
    (void)out;
}
