/* Derivatives of functions with CasADi's interface, as CasADi asks for them, beside differences. For each function the largest
 * difference is printed, of the largest entry. */
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long long int whole;
typedef int function(const double **, double **, whole *, double *, int);
typedef whole count(void);
typedef const whole *shape(whole);
typedef const char *naming(whole);
typedef int question(whole);

typedef struct {
    const char *name;
    function *value, *derivative;
    count *n_in, *n_out;
    naming *name_in;
    shape *shape_in, *shape_out, *shape_of_blocks;
    question *is_differentiated;
} differentiated;

GIVEN

/* The argument of this name, at its beginning or behind `out_` and `adj_`. */
static const double *given(const char *name)
{
    int k;
    if (!strncmp(name, "out_", 4) || !strncmp(name, "adj_", 4)) return of_seeds;
    for (k = 0; k < (int)(sizeof of_names / sizeof of_names[0]); k++) {
        if (!strcmp(of_names[k].name, name)) return of_names[k].numbers;
    }
    printf("nan\n");
    return 0;
}

static double results[6][4][2000], blocks[60][4000];

static int extent(const whole *of)
{
    return of[2] ? (int)(of[0] * of[1]) : 0;
}

static void compare(const differentiated *f)
{
    const int inputs = (int)f->n_in(), outputs = (int)f->n_out();
    const double *arg[16];
    double moved[400], *res[60], worst = 0, largest[60] = {0};
    int i, j, k, o, r;
    for (i = 0; i < inputs + outputs; i++) arg[i] = i < inputs ? given(f->name_in(i)) : 0;
    for (k = 0; k < inputs * outputs; k++) {
        const whole *const block = f->shape_of_blocks(k);
        /* A row for each number of the result, and a column for each of the argument, zeros too. */
        const whole *const rows = f->shape_out(k / inputs), *const columns = f->shape_in(k % inputs);
        if (block[0] != rows[0] * rows[1] || block[1] != columns[0] * columns[1]) printf("nan\n");
        res[k] = blocks[k];
    }
    if (f->derivative(arg, res, 0, 0, 0)) printf("nan\n");
    for (k = 0; k < inputs * outputs; k++) {
        for (j = 0; j < extent(f->shape_of_blocks(k)); j++) largest[k] = fmax(largest[k], fabs(blocks[k][j]));
    }
    for (i = 0; i < inputs; i++) {
        const double *const own = arg[i];
        const int n = extent(f->shape_in(i));
        if (f->is_differentiated && !f->is_differentiated(i)) {
            for (o = 0; o < outputs; o++) {
                if (f->shape_of_blocks(o * inputs + i)[2]) printf("nan\n");
            }
            continue;
        }
        memcpy(moved, own, (size_t)n * sizeof(double));
        arg[i] = moved;
        for (j = 0; j < n; j++) {
            static const double ways[4] = {-2, -1, 1, 2};
            const double h = 2e-4;
            for (k = 0; k < 4; k++) {
                moved[j] = own[j] + ways[k] * h;
                for (o = 0; o < outputs; o++) res[o] = results[o][k];
                if (f->value(arg, res, 0, 0, 0)) printf("nan\n");
            }
            moved[j] = own[j];
            for (o = 0; o < outputs; o++) {
                const int rows = extent(f->shape_out(o)), block = o * inputs + i;
                const int is_there = extent(f->shape_of_blocks(block)) > 0;
                for (r = 0; r < rows; r++) {
                    const double x = (results[o][0][r] - 8 * results[o][1][r] + 8 * results[o][2][r] - results[o][3][r]) / (12 * h);
                    const double exact = is_there ? blocks[block][j * rows + r] : 0;
                    worst = fmax(worst, fabs(x - exact) / (largest[block] + 1));
                }
            }
        }
        arg[i] = own;
    }
    printf("%.17g\n", worst);
}

int main(void)
{
    int k;
    double value[100], *res[4] = {value, 0, 0, 0};
    const double *arg[4] = {0, 0, 0, 0};
    for (k = 0; k < (int)(sizeof all / sizeof all[0]); k++) compare(&all[k]);
    for (k = 0; k < 3; k++) arg[k] = given(all[0].name_in(k));
    if (all[0].value(arg, res, 0, 0, 0)) return 1;
    for (k = 0; k < extent(all[0].shape_out(0)); k++) printf("%.17g\n", value[k]);
    return 0;
}
