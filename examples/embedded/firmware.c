#include "controller.h"

static controller_state state;
static unsigned char room[CONTROL_SCRATCH + 16];

void start(void)
{
    controller_init(&state);
}

/* Called every hundredth of a second: the force in newtons, from metres and radians. */
float force_on_cart(float position, float angle)
{
    float force = 0.0f;
    void *scratch = (void *)(((uintptr_t)room + 15) & ~(uintptr_t)15);

    if (control(position, angle, &force, &state, scratch) != 0)
        return 0.0f;
    return force;
}
