#include "model.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const double q[] = {0.5, 2.0, -1.0};
    const double x[] = {0.0, 1.0, 2.0, 3.0}, y[] = {0.4, 2.7, 4.4, 6.5};
    double density = 0.0, gradient[3];
    int64_t sizes[LOGP_SIZES];
    void *scratch = NULL;

    int code = logp_sizes(q, 3, x, 4, y, 4, sizes);
    if (code == 0 && sizes[0] > 0 && (scratch = malloc((size_t)sizes[0])) == NULL)
        return 2;
    if (code == 0)
        code = logp(q, 3, x, 4, y, 4, &density, gradient, scratch);
    free(scratch);
    if (code != 0) {
        fprintf(stderr, "%s\n", model_message(code));
        return 1;
    }
    printf("%.17g %.17g %.17g %.17g\n", density, gradient[0], gradient[1], gradient[2]);
    return 0;
}
