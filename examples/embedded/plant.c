/* A cart with a pole, in place of the hardware: ten seconds of motion under the firmware. */
#include <math.h>
#include <stdio.h>

void start(void);
float force_on_cart(float position, float angle);

int main(void)
{
    const double cart = 0.5, pole = 0.1, length = 0.5, gravity = 9.81, dt = 1e-4;
    double x = 0.0, v = 0.0, angle = 0.3, turn = 0.0, force = 0.0;
    long step;

    start();
    for (step = 0; step < 100000; step++) {
        double c = cos(angle), s = sin(angle), push, turning, pushing;
        if (step % 100 == 0)
            force = force_on_cart((float)x, (float)angle);
        if (step % 10000 == 0)
            printf("%2.0f s: position %7.4f m, angle %7.4f rad\n", step * dt, x, angle);
        push = (force + 0.5 * pole * length * turn * turn * s) / (cart + pole);
        turning = (gravity * s - c * push) / (length * (2.0 / 3 - 0.5 * pole * c * c / (cart + pole)));
        pushing = push - 0.5 * pole * length * turning * c / (cart + pole);
        v += dt * pushing;
        turn += dt * turning;
        x += dt * v;
        angle += dt * turn;
    }
    printf("%2.0f s: position %7.4f m, angle %7.4f rad\n", step * dt, x, angle);
    return fabs(x) < 0.01 && fabs(angle) < 0.01 ? 0 : 1;
}
