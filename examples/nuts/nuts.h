/* The No-U-Turn sampler for a log-density and its gradient in C. */
#ifndef NUTS_H
#define NUTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the log-density at x and its n derivatives; returns 0 where they exist. */
typedef int (*nuts_target)(size_t n, const double *x, double *grad, double *density, void *user);

/* What is known of a draw: a row of stats has these columns. */
enum {
    NUTS_DENSITY, NUTS_ENERGY, NUTS_ACCEPTANCE, NUTS_STEP, NUTS_LEAPFROGS, NUTS_DIVERGED,
    NUTS_STATS /* their number */
};

/* Results other than 0: the start has no density (and target returned 0), or there is no memory. */
enum { NUTS_NO_DENSITY = -1, NUTS_NO_MEMORY = -2 };

/* Runs one chain: tune draws that adapt the step size and the variances, and are not kept, then draws
   rows of out (n columns) and of stats (NUTS_STATS columns). A result over 0 is that of target at the
   start; elsewhere, such a point counts as one without density. Chains may run in several threads. */
int nuts_sample(nuts_target target, void *user, const double *start, int64_t n, int draws, int tune,
                uint64_t seed, double *out, double *stats);

/* Takes one leapfrog step of position q and momentum p, where grad is the gradient at q. The inverse
   of the mass matrix has the variances on its diagonal. Returns the result of target. */
int nuts_leapfrog(nuts_target target, void *user, int64_t n, const double *variance, double step,
                  double *q, double *p, double *grad, double *density);

#ifdef __cplusplus
}
#endif

#endif
