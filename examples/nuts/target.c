/* The exported function of model.c as the target of a sampler; user is the scratch of a chain. */
#include "model.h"
#include "nuts.h"

int64_t target_scratch(const double *q, int64_t n)
{
    int64_t sizes[MODEL_SIZES];
    return model_sizes(q, n, sizes) ? -1 : sizes[0];
}

int target(size_t n, const double *q, double *grad, double *density, void *user)
{
    return model(q, (int64_t)n, density, grad, user);
}
