/* Written by theano 1.1.2+xla.0.1.0. model.c says how to compile it. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * x: x_n
 * out0: sizes[1], output
 * scratch: memory for intermediate results, aligned to 16 bytes
 * Returns 0, or a code for model_message; outputs are not complete then.
 */
int model(const double *x, int64_t x_n, double *out0, void *scratch);

/* sizes[0]: bytes of scratch; then the lengths of the outputs that are not known. */
#define MODEL_SIZES 2
int model_sizes(const double *x, int64_t x_n, int64_t *sizes);

/* What a code other than 0 means. */
const char *model_message(int code);

#ifdef __cplusplus
}
#endif

#endif
