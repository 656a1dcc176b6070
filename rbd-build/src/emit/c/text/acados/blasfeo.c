
/* Define RBD_NO_BLASFEO to leave out what needs acados' headers. */
#ifndef RBD_NO_BLASFEO
#include "acados/utils/external_function_generic.h"
#include "blasfeo_common.h"

static void ROBOT_acados_given(void *from, double *to, int n)
{
    const struct blasfeo_dvec_args *const given = (const struct blasfeo_dvec_args *)from;
    int k;
    for (k = 0; k < n; k++) to[k] = BLASFEO_DVECEL(given->x, given->xi + k);
}

static void ROBOT_acados_vector(const double *from, void *to, int n)
{
    const struct blasfeo_dvec_args *const out = (const struct blasfeo_dvec_args *)to;
    int k;
    for (k = 0; k < n; k++) BLASFEO_DVECEL(out->x, out->xi + k) = from[k];
}

static void ROBOT_acados_matrix(const double *from, void *to, int rows, int columns)
{
    const struct blasfeo_dmat_args *const out = (const struct blasfeo_dmat_args *)to;
    int i, j;
    for (j = 0; j < columns; j++) {
        for (i = 0; i < rows; i++) BLASFEO_DMATEL(out->A, out->ai + i, out->aj + j) = from[j * rows + i];
    }
}
