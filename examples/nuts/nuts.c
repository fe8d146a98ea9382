/* NUTS with multinomial sampling of trajectories (Betancourt 2017, arXiv:1701.02434), and step size
   and variances adapted in the windows that Stan uses. */
#include "nuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 10          /* the most doublings of a trajectory */
#define ACCEPTANCE 0.8    /* that the step size aims at */
#define MOST_ENERGY 1000. /* a larger error of the energy is a divergence */

typedef struct {
    double *q, *p, *grad, density;
} point;

/* Where a subtree begins: the sum of momenta before it, its first momentum, and the one before. */
typedef struct {
    double *before, *first, *last;
} mark;

typedef struct {
    nuts_target target;
    void *user;
    int64_t n;
    uint64_t random;
    double step, *variance, *sum;
    point here, ends[2], drawn;
    mark marks[DEPTH + 1];
} chain;

/* A random number above 0 and below 1, by SplitMix64: the hash of a counter. */
static double uniform(chain *c)
{
    uint64_t z = c->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

/* Draws from the normal distribution by the method of Box and Muller. */
static void draw_momentum(chain *c, double *p)
{
    for (int64_t i = 0; i < c->n; i += 2) {
        double radius = sqrt(-2 * log(uniform(c))), angle = 6.283185307179586 * uniform(c);
        p[i] = radius * cos(angle) / sqrt(c->variance[i]);
        if (i + 1 < c->n)
            p[i + 1] = radius * sin(angle) / sqrt(c->variance[i + 1]);
    }
}

static void copy(const chain *c, double *to, const double *from)
{
    memcpy(to, from, (size_t)c->n * sizeof *to);
}

static void copy_point(const chain *c, point *to, const point *from)
{
    copy(c, to->q, from->q);
    copy(c, to->p, from->p);
    copy(c, to->grad, from->grad);
    to->density = from->density;
}

int nuts_leapfrog(nuts_target target, void *user, int64_t n, const double *variance, double step,
                  double *q, double *p, double *grad, double *density)
{
    for (int64_t i = 0; i < n; i++) {
        p[i] += 0.5 * step * grad[i];
        q[i] += step * variance[i] * p[i];
    }
    int code = target((size_t)n, q, grad, density, user);
    for (int64_t i = 0; i < n; i++)
        p[i] += 0.5 * step * grad[i];
    return code;
}

static double energy(const chain *c, const point *x)
{
    double kinetic = 0;
    for (int64_t i = 0; i < c->n; i++)
        kinetic += 0.5 * c->variance[i] * x->p[i] * x->p[i];
    return kinetic - x->density;
}

/* Takes a leapfrog step; returns the energy after it. */
static double leap(const chain *c, point *x, double step)
{
    int code = nuts_leapfrog(c->target, c->user, c->n, c->variance, step, x->q, x->p, x->grad,
                             &x->density);
    double total = energy(c, x);
    return code || !isfinite(total) ? INFINITY : total;
}

/* Whether a trajectory from momentum a to momentum b has turned, given the sum of its momenta:
   high - low, and one more unless it is NULL. */
static int turned(const chain *c, const double *high, const double *low, const double *more,
                  const double *a, const double *b)
{
    double at_a = 0, at_b = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double sum = c->variance[i] * (high[i] - low[i] + (more ? more[i] : 0));
        at_a += sum * a[i];
        at_b += sum * b[i];
    }
    return !(at_a > 0 && at_b > 0);
}

/* Whether the subtree from a mark to momentum p has turned, or one of its halves together with the
   nearest point of the other half. The second half begins at middle, NULL if it is one point. */
static int subtree_turned(const chain *c, const mark *begin, const mark *middle, const double *p)
{
    return turned(c, c->sum, begin->before, NULL, begin->first, p) ||
           (middle &&
            (turned(c, middle->before, begin->before, middle->first, begin->first, middle->first) ||
             turned(c, c->sum, middle->before, middle->last, middle->last, p)));
}

static double log_add(double a, double b)
{
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

static void transition(chain *c, double *stats)
{
    draw_momentum(c, c->here.p);
    copy_point(c, &c->ends[0], &c->here);
    copy_point(c, &c->ends[1], &c->here);
    copy(c, c->sum, c->here.p);
    const double initial = energy(c, &c->here);
    double log_weight = 0, accepted = 0, chosen = initial;
    int leaps = 0, diverged = 0, stop = 0;

    for (int depth = 0; depth < DEPTH && !stop; depth++) {
        /* marks[0] is the trajectory so far, the others are subtrees of the half that is new */
        int forward = uniform(c) < 0.5;
        point *x = &c->ends[forward];
        double log_new = -INFINITY, drawn = initial;
        copy(c, c->marks[0].first, c->ends[!forward].p);
        for (int leaf = 0; leaf < 1 << depth && !stop; leaf++) {
            int level = 1; /* of the mark at an even leaf: the number of bits that are set, from 1 */
            for (int bits = leaf; bits; bits &= bits - 1)
                level += 1;
            mark *m = &c->marks[level];
            if (leaf % 2 == 0) {
                copy(c, m->before, c->sum);
                copy(c, m->last, x->p);
            }
            double now = leap(c, x, forward ? c->step : -c->step);
            leaps += 1;
            accepted += now < initial ? 1 : exp(initial - now);
            diverged = stop = !(now - initial < MOST_ENERGY);
            if (stop)
                break;
            if (leaf % 2 == 0)
                copy(c, m->first, x->p);
            for (int64_t i = 0; i < c->n; i++)
                c->sum[i] += x->p[i];
            log_new = log_add(log_new, initial - now);
            if (log(uniform(c)) < initial - now - log_new) {
                copy_point(c, &c->drawn, x);
                drawn = now;
            }
            /* each bit at the end of an odd leaf is a subtree that is complete */
            const mark *middle = NULL;
            for (int bits = leaf; bits % 2 && !stop; bits /= 2) {
                const mark *begin = &c->marks[--level];
                stop = subtree_turned(c, begin, middle, x->p);
                middle = begin;
            }
        }
        if (stop)
            break;
        if (log(uniform(c)) < log_new - log_weight) {
            point old = c->here;
            c->here = c->drawn;
            c->drawn = old;
            chosen = drawn;
        }
        log_weight = log_add(log_weight, log_new);
        stop = subtree_turned(c, &c->marks[0], &c->marks[1], x->p);
    }
    stats[NUTS_DENSITY] = c->here.density;
    stats[NUTS_ENERGY] = chosen;
    stats[NUTS_ACCEPTANCE] = accepted / leaps;
    stats[NUTS_STEP] = c->step;
    stats[NUTS_LEAPFROGS] = leaps;
    stats[NUTS_DIVERGED] = diverged;
}

typedef struct {
    double centre, gap, mean;
    int count;
} averaging;

/* Doubles or halves the step size until one step is accepted with the probability aimed at. */
static averaging find_step(chain *c)
{
    int larger = -1;
    for (int tries = 0; tries < 100; tries++) {
        draw_momentum(c, c->here.p);
        copy_point(c, &c->ends[0], &c->here);
        int accepted = energy(c, &c->here) - leap(c, &c->ends[0], c->step) > log(ACCEPTANCE);
        if (larger >= 0 && accepted != larger)
            break;
        larger = accepted;
        c->step *= larger ? 2 : 0.5;
    }
    return (averaging){log(10 * c->step), 0, 0, 0};
}

/* Dual averaging (Hoffman and Gelman 2014, section 3.2). */
static void adapt_step(chain *c, averaging *a, double acceptance)
{
    double count = a->count += 1, weight = pow(count, -0.75);
    a->gap += (ACCEPTANCE - acceptance - a->gap) / (count + 10);
    double log_step = a->centre - sqrt(count) / 0.05 * a->gap;
    a->mean += weight * (log_step - a->mean);
    c->step = exp(log_step);
}

/* Mean and sum of squares of a window, by the method of Welford. */
static void add_to_window(const chain *c, double count, double *mean, double *squares)
{
    for (int64_t i = 0; i < c->n; i++) {
        double change = c->here.q[i] - mean[i];
        mean[i] += change / count;
        squares[i] += change * (c->here.q[i] - mean[i]);
    }
}

static void end_window(chain *c, double count, double *mean, double *squares)
{
    for (int64_t i = 0; i < c->n; i++) {
        if (count > 1) /* a little towards 0.001, so that few draws do not mislead */
            c->variance[i] = (count * squares[i] / (count - 1) + 0.005) / (count + 5);
        mean[i] = squares[i] = 0;
    }
}

static void run(chain *c, int draws, int tune, double *mean, double *squares, double *out,
                double *stats)
{
    /* the first and the last draws of tuning adapt the step size only, and so do very few draws */
    int begin = tune < 20 ? tune : tune < 150 ? tune * 3 / 20 : 75;
    int end = tune - (tune < 150 ? tune / 10 : 50);
    int length = tune < 150 ? end - begin : 25, next = begin + length, count = 0;
    averaging average = find_step(c);
    for (int i = 0; i < tune; i++) {
        double tuning[NUTS_STATS];
        transition(c, tuning);
        adapt_step(c, &average, tuning[NUTS_ACCEPTANCE]);
        if (i < begin || i >= end)
            continue;
        add_to_window(c, count += 1, mean, squares);
        if (end - next < 2 * length) /* the next window would be too short */
            next = end;
        if (i + 1 == next) {
            end_window(c, count, mean, squares);
            average = find_step(c);
            next += length *= 2;
            count = 0;
        }
    }
    if (average.count)
        c->step = exp(average.mean);
    for (int i = 0; i < draws; i++) {
        transition(c, stats + (size_t)i * NUTS_STATS);
        copy(c, out + i * c->n, c->here.q);
    }
}

int nuts_sample(nuts_target target, void *user, const double *start, int64_t n, int draws, int tune,
                uint64_t seed, double *out, double *stats)
{
    chain c = {.target = target, .user = user, .n = n, .random = seed, .step = 0.1};
    point *points[] = {&c.here, &c.ends[0], &c.ends[1], &c.drawn};
    const int vectors = 4 + 3 * 4 + 3 * (DEPTH + 1);
    double *memory = calloc((size_t)n * (size_t)vectors + 1, sizeof *memory), *next = memory;
    if (!memory)
        return NUTS_NO_MEMORY;
    double *mean = next, *squares = next += n;
    c.sum = next += n;
    c.variance = next += n;
    for (int i = 0; i < 4; i++) {
        points[i]->q = next += n;
        points[i]->p = next += n;
        points[i]->grad = next += n;
    }
    for (int i = 0; i <= DEPTH; i++) {
        c.marks[i].before = next += n;
        c.marks[i].first = next += n;
        c.marks[i].last = next += n;
    }
    for (int64_t i = 0; i < n; i++)
        c.variance[i] = 1;
    copy(&c, c.here.q, start);
    int code = target((size_t)n, c.here.q, c.here.grad, &c.here.density, user);
    if (!code && !isfinite(c.here.density))
        code = NUTS_NO_DENSITY;
    if (!code)
        run(&c, draws, tune, mean, squares, out, stats);
    free(memory);
    return code;
}
