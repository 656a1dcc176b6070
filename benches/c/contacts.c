/* Times of a robot's functions under contacts, beside those of free dynamics. contacts.py compiles it. */
#define _POSIX_C_SOURCE 199309L
#include HEADER
#include <stdio.h>
#include <time.h>

#define JOINED(a, b) a##b
#define OF(prefix, name) JOINED(prefix, name)
#define ROBOT(name) OF(PREFIX, name)
#define SIZE(name) OF(CAPITALS, name)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* The least of the times of `statement` over many runs, each of many calls: one call's, in microseconds. A result of each call
 * moves the next one's state, by nothing that counts. */
#define TIME(name, statement, result)                                        \
    do {                                                                     \
        double least = 1e30;                                                 \
        for (int run = 0; run < 60; run++) {                                 \
            const double start = now();                                      \
            for (int call = 0; call < 200; call++) {                         \
                statement;                                                   \
                q[SIZE(_NQ) - 1] += 1e-30 * (result);                        \
            }                                                                \
            const double time = (now() - start) / 200;                       \
            if (time < least) least = time;                                  \
        }                                                                    \
        printf("%s %.9g\n", name, least);                                    \
    } while (0)

int main(void)
{
    static ROBOT(_contact_dynamics_t) held;
    static ROBOT(_contact_dynamics_derivatives_t) of_held;
    static ROBOT(_contact_impulse_t) impulse;
    static ROBOT(_aba_derivatives_t) of_free;
    static double delassus[SIZE(_CONTACT_ROWS) * SIZE(_CONTACT_ROWS)], jacobian[SIZE(_CONTACT_ROWS) * SIZE(_NV)];
    double q[SIZE(_NQ)], v[SIZE(_NV)], tau[SIZE(_NV)], ddq[SIZE(_NV)];
    int active[SIZE(_NC)];
    for (int k = 0; k < SIZE(_NQ); k++) q[k] = 0.1 * (k * 7 % 5) - 0.2;
    /* The base's attitude. */
    q[3] = 0.1, q[4] = -0.5, q[5] = 0.5, q[6] = 0.7;
    for (int k = 0; k < SIZE(_NV); k++) v[k] = 0.1 * (k * 3 % 7) - 0.3, tau[k] = k % 5 - 2;
    for (int k = 0; k < SIZE(_NC); k++) active[k] = 1;
    TIME("aba", ROBOT(_aba)(q, v, tau, ddq), ddq[0]);
    TIME("aba_derivatives", ROBOT(_aba_derivatives)(q, v, tau, &of_free), of_free.ddq_dq[0]);
    TIME("contact_dynamics", ROBOT(_contact_dynamics)(q, v, tau, active, 0, &held), held.ddq[0]);
    TIME("contact_dynamics_derivatives", ROBOT(_contact_dynamics_derivatives)(q, v, tau, active, 0, &of_held),
         of_held.ddq_dq[0]);
    TIME("contact_impulse", ROBOT(_contact_impulse)(q, v, active, 0.1, 0, &impulse), impulse.v_plus[0]);
    TIME("delassus", ROBOT(_delassus)(q, active, delassus), delassus[0]);
    TIME("contact_jacobian", ROBOT(_contact_jacobian)(q, active, jacobian), jacobian[0]);
    return 0;
}
