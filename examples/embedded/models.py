"""Write the C files of the programs in this folder: a log-density, a controller, an equation.

`python models.py` writes `model.c`, `controller.c` and `equation.c`, with their headers, into the
current folder.
"""

import numpy as np
from scipy.linalg import solve_discrete_are

import theano
import theano.tensor as T
from theano import gradient

#: seconds between two calls of the controller
PERIOD = 0.01


def log_density():
    """The log-density of a straight line through points, and its gradient.

    The parameters `q` are the intercept, the slope and the logarithm of the noise.
    """
    q, x, y = T.dvectors("q", "x", "y")
    residuals = (y - q[0] - q[1] * x) * T.exp(-q[2])
    density = -0.5 * T.sqr(residuals).sum() - y.size * q[2] - 0.5 * T.sqr(q).sum()
    density.name = "density"
    gradient = T.grad(density, q)
    gradient.name = "gradient"
    return theano.function([q, x, y], [density, gradient])


# controller


def cart_with_pole(cart=0.5, pole=0.1, length=0.5, gravity=9.81):
    """Matrices of the motion of a cart with an upright pole: position, speed, angle, its speed."""
    inertia = cart + pole / 4
    motion = np.zeros((4, 4))
    motion[0, 1] = motion[2, 3] = 1
    motion[1, 2] = -0.75 * pole * gravity / inertia
    motion[3, 2] = 1.5 * (cart + pole) * gravity / (inertia * length)
    push = np.array([[0, 1 / inertia, 0, -1.5 / (inertia * length)]]).T
    # the step of a linear system: a Taylor series of its exponential
    step, term, pushed = np.eye(4), np.eye(4), np.eye(4)
    for k in range(1, 10):
        term = term @ motion * PERIOD / k
        step += term
        pushed += term / (k + 1)
    return step, pushed @ push * PERIOD


def gains():
    """The motion and the push, the gains of the force, and those of a Kalman filter."""
    a, b = cart_with_pole()
    seen = np.eye(4)[::2]
    cost, noise = np.diag([1.0, 0.1, 10, 0.1]), np.diag([1e-6, 1e-3, 1e-6, 1e-3])
    p = solve_discrete_are(a, b, cost, np.array([[0.1]]))
    force = np.linalg.solve(0.1 + b.T @ p @ b, b.T @ p @ a)
    s = solve_discrete_are(a.T, seen.T, noise, 1e-5 * np.eye(2))
    filtered = s @ seen.T @ np.linalg.inv(seen @ s @ seen.T + 1e-5 * np.eye(2))
    return [np.float32(m) for m in (a, b[:, 0], force[0], filtered)]


def controller():
    """The force on a cart that keeps its pole upright, from its position and the pole's angle.

    The state of the controller is a shared variable: the estimate of all four numbers.
    """
    a, b, force_gains, filter_gains = gains()
    position, angle = T.fscalars("position", "angle")
    estimate = theano.shared(np.zeros(4, "float32"), "estimate")
    innovation = T.stack([position - estimate[0], angle - estimate[2]])
    corrected = estimate + T.dot(filter_gains, innovation)
    force = T.clip(-T.dot(force_gains, corrected), np.float32(-10), np.float32(10))
    force.name = "force"
    updates = {estimate: T.dot(a, corrected) + b * force}
    return theano.function([position, angle], force, updates=updates)


# equation


def equation(n=20):
    """The equation -Laplace(u) = exp(u) on n x n points of the unit square, and its Jacobian."""
    u = T.dmatrix("u")
    wide = T.set_subtensor(T.zeros((n + 2, n + 2))[1:-1, 1:-1], u)
    around = wide[2:, 1:-1] + wide[:-2, 1:-1] + wide[1:-1, 2:] + wide[1:-1, :-2]
    residual = 4 * u - around - T.exp(u) / (n + 1) ** 2
    jacobian = gradient.sparse_jacobian(residual, u, gradient.sparsity(residual, u, (n, n)))
    residual.name, jacobian.name = "residual", "J"
    return theano.function([u], [residual, jacobian])


if __name__ == "__main__":
    theano.export({"logp": log_density()}, "model.c")
    theano.export({"control": controller()}, "controller.c")
    theano.export({"equation": equation()}, "equation.c", shapes={"u": (20, 20)})
