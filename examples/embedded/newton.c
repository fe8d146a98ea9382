/* Solves the equation of equation.c by Newton's method. The linear system of a step is solved by
   sweeps over its rows (Gauss-Seidel), which read the Jacobian in csr format. */
#include <math.h>
#include <stdio.h>

#include "equation.h"

enum { POINTS = 20 * 20, STORED = sizeof equation_J_indices / sizeof equation_J_indices[0] };

static double u[POINTS], residual[POINTS], step[POINTS], J[STORED];
static double scratch[EQUATION_SCRATCH / sizeof(double) + 2];

static double sweep(void)
{
    double change = 0;
    for (int i = 0; i < POINTS; i++) {
        double rest = -residual[i], diagonal = 1;
        for (int k = equation_J_indptr[i]; k < equation_J_indptr[i + 1]; k++) {
            const int j = equation_J_indices[k];
            if (j == i)
                diagonal = J[k];
            else
                rest -= J[k] * step[j];
        }
        change = fmax(change, fabs(rest / diagonal - step[i]));
        step[i] = rest / diagonal;
    }
    return change;
}

int main(void)
{
    for (int turn = 0; turn < 5; turn++) {
        const int code = equation(u, residual, J, scratch);
        if (code != 0) {
            fprintf(stderr, "%s\n", equation_message(code));
            return 1;
        }
        while (sweep() > 1e-14) {
        }
        for (int i = 0; i < POINTS; i++)
            u[i] += step[i];
    }
    double most = 0;
    for (int i = 0; i < POINTS; i++)
        most = fmax(most, u[i]);
    printf("%.6f\n", most);
    return 0;
}
