"""A pole on a cart is swung up with the least force: a problem of optimal control.

The unknowns are the states and forces at all times; the equations of motion between neighbouring
times are constraints. Their Jacobian and the Hessian of the Lagrangian are sparse, and are computed
by a few products. Ipopt solves the problem if cyipopt is installed, otherwise SciPy does.
"""

import numpy as np
from digits import run
from drawing import BLUE, GRAY, ORANGE, canvas
from scipy import optimize, sparse

import theano
import theano.sparse
import theano.tensor as T
from theano.gradient import sparse_hessian, sparse_jacobian, sparsity

CART, BOB, LENGTH, GRAVITY = 1.0, 0.3, 0.5, 9.81
SECONDS, DISTANCE = 2.0, 1.0
#: the largest position of the cart, angle, their speeds, and force
LIMITS = np.array([2.0, 10.0, 20.0, 40.0, 20.0])


def motion(z):
    """d/dt of position, angle and their speeds; ``z`` has these and the force in its columns."""
    angle, turning, force = z[:, 1], z[:, 3], z[:, 4]
    sin, cos = T.sin(angle), T.cos(angle)
    pull = BOB * LENGTH * turning**2 * sin
    mass = CART + BOB * sin**2
    faster = (pull + force + BOB * GRAVITY * cos * sin) / mass
    spun = -(pull * cos + force * cos + (CART + BOB) * GRAVITY * sin) / (LENGTH * mass)
    return T.stack([z[:, 2], turning, faster, spun], axis=1)


class SwingUp:
    """The problem with ``steps`` steps, in the form that Ipopt asks for."""

    def __init__(self, steps):
        self.shape = steps + 1, 5
        z, weights, scale = T.dmatrix("z"), T.dvector("weights"), T.dscalar("scale")
        h, rates = SECONDS / steps, motion(z)
        force = z[:, 4]
        cost = h / 2 * T.sum(force[1:] ** 2 + force[:-1] ** 2)
        gaps = (z[1:, :4] - z[:-1, :4] - h / 2 * (rates[1:] + rates[:-1])).flatten()
        lagrangian = scale * cost + T.dot(weights, gaps)
        # the patterns depend on the lengths alone, so the functions return the elements
        lengths = {z: self.shape, weights: (4 * steps,)}
        self.slopes_at = sparsity(gaps, z, lengths)
        slopes = sparse_jacobian(gaps, z, self.slopes_at)
        self.curvature_at = sparsity(T.grad(lagrangian, z), z, lengths)
        curvature = sparse_hessian(lagrangian, z, self.curvature_at)
        values = theano.sparse.csm_data
        self.cost = theano.function([z], cost)
        self.cost_slope = theano.function([z], T.grad(cost, z).flatten())
        self.gaps = theano.function([z], gaps)
        self.slopes = theano.function([z], values(slopes))
        self.curvature = theano.function([z, weights, scale], values(curvature))
        # where the cart and the pole are at the beginning and at the end
        self.low, self.high = -np.tile(LIMITS, (steps + 1, 1)), np.tile(LIMITS, (steps + 1, 1))
        self.low[0, :4] = self.high[0, :4] = 0
        self.low[-1, :4] = self.high[-1, :4] = [DISTANCE, np.pi, 0, 0]

    def guess(self):
        """Straight lines from the beginning to the end, and no force."""
        return np.linspace(0, 1, self.shape[0])[:, None] * [DISTANCE, np.pi, 0, 0, 0]

    def matrix(self, at, data):
        return sparse.csr_matrix((data, at.indices, at.indptr), at.shape)

    # what Ipopt calls; it takes the half of the Hessian below the diagonal

    def objective(self, x):
        return float(self.cost(x.reshape(self.shape)))

    def gradient(self, x):
        return self.cost_slope(x.reshape(self.shape))

    def constraints(self, x):
        return self.gaps(x.reshape(self.shape))

    def jacobianstructure(self):
        return self.slopes_at.tocoo().coords

    def jacobian(self, x):
        return self.slopes(x.reshape(self.shape))

    def hessianstructure(self):
        rows, columns = self.curvature_at.tocoo().coords
        self.below = rows >= columns
        return rows[self.below], columns[self.below]

    def hessian(self, x, weights, scale):
        return self.curvature(x.reshape(self.shape), weights, scale)[self.below]


def by_ipopt(problem):
    import cyipopt

    m = len(problem.constraints(problem.guess().ravel()))
    solver = cyipopt.Problem(
        problem.guess().size,
        m,
        problem,
        problem.low.ravel(),
        problem.high.ravel(),
        [0] * m,
        [0] * m,
    )
    solver.add_option("print_level", 0)
    solver.add_option("sb", "yes")
    x, info = solver.solve(problem.guess().ravel())
    return x, info["status"] == 0


def by_scipy(problem):
    def curvature(x, weights, scale):
        data = problem.curvature(x.reshape(problem.shape), weights, scale)
        return problem.matrix(problem.curvature_at, data)

    nothing = np.zeros(problem.slopes_at.shape[0])
    result = optimize.minimize(
        problem.objective,
        problem.guess().ravel(),
        jac=problem.gradient,
        hess=lambda x: curvature(x, nothing, 1.0),
        method="trust-constr",
        bounds=optimize.Bounds(problem.low.ravel(), problem.high.ravel()),
        constraints=optimize.NonlinearConstraint(
            problem.constraints,
            0,
            0,
            jac=lambda x: problem.matrix(problem.slopes_at, problem.jacobian(x)),
            hess=lambda x, weights: curvature(x, weights, 0.0),
        ),
        options={"maxiter": 3000, "gtol": 1e-6, "xtol": 1e-9},
    )
    return result.x, result.success and result.constr_violation < 1e-6


def has_ipopt():
    try:
        import cyipopt  # noqa: F401
    except ImportError:
        return False
    return True


def main(steps=50, quiet=False):
    problem = SwingUp(steps)
    x, solved = (by_ipopt if has_ipopt() else by_scipy)(problem)
    result = x.reshape(problem.shape)
    if not quiet:
        print(f"{'solved' if solved else 'NOT SOLVED'}: {problem.objective(x):.2f} N^2 s")
        for name, at in (("Jacobian", problem.slopes_at), ("Hessian", problem.curvature_at)):
            rows, columns = at.shape
            print(f"{name} {rows} x {columns}: {at.nnz} elements, {at.nnz / rows / columns:.1%}")
    return {
        "problem": problem,
        "solved": bool(solved),
        "cost": problem.objective(x),
        "states": result[:, :4],
        "force": result[:, 4],
        "times": np.linspace(0, SECONDS, steps + 1),
    }


def draw(results, path):
    """The cart and the pole at several times, the force, and a part of the Jacobian's pattern."""
    states, times = results["states"], results["times"]
    position, angle = states[:, 0], states[:, 1]
    bob = position + LENGTH * np.sin(angle), -LENGTH * np.cos(angle)
    with canvas(path, height=290) as figure:
        left, middle, right = figure.subplots(1, 3, width_ratios=[1.6, 1.1, 1.0])
        shown = np.linspace(0, len(times) - 1, 14).round().astype(int)
        for n, k in enumerate(shown):
            shade = 0.15 + 0.85 * n / len(shown)
            left.plot([position[k], bob[0][k]], [0, bob[1][k]], color=BLUE, alpha=shade, lw=1.5)
            left.plot(position[k], 0, "s", color=GRAY, alpha=shade, ms=5)
            left.plot(bob[0][k], bob[1][k], "o", color=ORANGE, alpha=shade, ms=4)
        left.plot(*bob, color=ORANGE, lw=0.7)
        left.set(aspect="equal", xlabel="metres", title="cart and pole")
        middle.plot(times, results["force"], color=BLUE)
        middle.axhline(0, color="0.8", lw=0.7, zorder=0)
        middle.set(xlabel="seconds", title="force, N", xlim=(0, SECONDS))
        at = results["problem"].slopes_at.tocoo()
        rows, columns = at.coords
        right.plot(columns, rows, "s", color="k", ms=1.6)
        right.set(title="Jacobian, first 12 steps", aspect="equal", xticks=[], yticks=[])
        right.set(xlim=(-1, 12 * 5 + 5), ylim=(12 * 4, -1))
        for side in ("top", "right"):
            right.spines[side].set_visible(True)


if __name__ == "__main__":
    run(main, __doc__, draw)
