
/* A stage: the motion that leads to its configuration, its velocity, and their derivatives by q, v and tau. */
typedef struct {
    REAL u[SIZE], v[SIZE], by_u[3][SIZE * SIZE], by_v[3][SIZE * SIZE];
} ROBOT_joining_stage;

/* What a step sums up to: motion, gain of velocity, and their derivatives; and rate and acceleration of the last stage. */
typedef struct {
    REAL along[SIZE], gained[SIZE], rate[SIZE], acceleration[SIZE], place[ROBOT_joining_nq];
    REAL by_along[3][SIZE * SIZE], by_gained[3][SIZE * SIZE], by_rate[3][SIZE * SIZE], by_acceleration[3][SIZE * SIZE],
        by_place[3][SIZE * SIZE];
} ROBOT_joining_sums;

/* Time from the beginning, and weight, of each stage. */
static const REAL ROBOT_joining_stages[4][2] = {{0, (REAL)1 / 6}, {(REAL)0.5, (REAL)1 / 3}, {(REAL)0.5, (REAL)1 / 3},
    {1, (REAL)1 / 6}};
