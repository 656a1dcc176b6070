
/* Computes a stage, and adds what it has. */
static void ROBOT_joining_SOURCE_add_stage(
    TAKES const REAL *q, const REAL *v, const REAL *tau, REAL time, REAL weight, ROBOT_joining_stage *stage,
    ROBOT_joining_sums *sums)
{
    ROBOT_aba_derivatives_t first;
    const REAL *const by[3] = {first.ddq_dq, first.ddq_dv, first.ddq_dtau};
    ROBOT_joining_begin_stage(q, v, time, stage, sums);
    DYNAMICS_aba_derivatives(sums->place, stage->v, tau, &first);
    ROBOT_joining_end_stage(weight, first.ddq, by, stage, sums);
}
