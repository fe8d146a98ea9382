"""RandomStreams: random variables, each with its own generator, which advances by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.process_group import process_group
from theano._src.ops.index.ravel_index import permute_row_elements
from theano._src.ops.random import raw_random
from theano._src.ops.random.missing_draws import streams_in
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.shared_constructors import shared
from theano._src.types.tensor import TensorVariable

#: seeds of generators are drawn from the integers below this
_SEEDS = 2**30


@documented_in("theano.tensor.shared_randomstreams")
@runtime_checkable
class RandomVariable(Protocol):
    """The result of the methods of RandomStreams: a tensor variable with two more attributes.

    Attributes
    ----------
    rng : RandomStateSharedVariable
        Holds the generator that the variable is drawn from.
    update : pair
        ``rng``, and the expression for its state after the draw.

    >>> from theano.tensor.shared_randomstreams import RandomStreams, RandomVariable
    >>> isinstance(RandomStreams(1).uniform((2,)), RandomVariable)
    True
    """

    rng: Any
    update: tuple[Any, Any]


@streams_in("theano.tensor.raw_random")
class RandomStreamsBase:
    """The distributions, as methods; ``gen`` of a subclass provides the states.

    ``size`` is the shape of the sample: a tuple of integers and scalars, or an integer vector; by
    default the shape of the arguments. ``ndim`` is the length of a symbolic size, if the graph
    does not determine it.
    """

    def gen(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return a sample of ``op``, which takes a state and returns the next one and a sample."""
        raise NotImplementedError(f"{type(self).__name__} does not say where states come from")

    def binomial(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        p: TensorLike = 0.5,
        ndim: int | None = None,
        dtype: str = "int64",
        prob: TensorLike = None,
    ) -> Any:
        """Return the number of successes in ``n`` trials, each with probability ``p``."""
        return self.gen(raw_random.binomial, size, n, p, ndim=ndim, dtype=dtype, prob=prob)

    def uniform(
        self,
        size: ShapeLike = None,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
    ) -> Any:
        """Return numbers uniformly distributed in ``[low, high)``."""
        return self.gen(raw_random.uniform, size, low, high, ndim=ndim, dtype=dtype)

    def normal(
        self,
        size: ShapeLike = None,
        avg: TensorLike = 0.0,
        std: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
    ) -> Any:
        """Return normally distributed numbers with mean ``avg`` and standard deviation ``std``."""
        return self.gen(raw_random.normal, size, avg, std, ndim=ndim, dtype=dtype)

    def random_integers(
        self,
        size: ShapeLike = None,
        low: TensorLike = 0,
        high: TensorLike = 1,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return integers from ``low`` to ``high``, both included."""
        return self.gen(raw_random.random_integers, size, low, high, ndim=ndim, dtype=dtype)

    def randint(
        self,
        low: int | TensorVariable,
        high: int | TensorVariable | None = None,
        size: ShapeLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return integers in ``[low, high)``, or in ``[0, low)`` if ``high`` is not given."""
        first, end = (0, low) if high is None else (low, high)
        return self.random_integers(size, first, end - 1, ndim=ndim, dtype=dtype)

    def choice(
        self,
        size: ShapeLike = None,
        a: TensorLike = 2,
        replace: bool | Variable = True,
        p: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return elements of the vector ``a``, or integers below it, with probabilities ``p``."""
        return self.gen(raw_random.choice, size, a, replace, p, ndim=ndim, dtype=dtype)

    def poisson(
        self,
        size: ShapeLike = None,
        lam: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return counts of the Poisson distribution with mean ``lam``, which is 1 by default."""
        lam = 1.0 if lam is None else lam
        return self.gen(raw_random.poisson, size, lam, ndim=ndim, dtype=dtype)

    def permutation(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return permutations of the integers below ``n``, in one more dimension than ``size``."""
        return self.gen(raw_random.permutation, size, n, ndim=ndim, dtype=dtype)

    def multinomial(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        pvals: TensorLike = (0.5, 0.5),
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Return counts of classes in ``n`` experiments, in one more dimension than ``size``."""
        return self.gen(raw_random.multinomial, size, n, pvals, ndim=ndim, dtype=dtype)

    def shuffle_row_elements(self, input: TensorVariable) -> Any:
        """Return ``input`` with each row shuffled; ``.permutation`` of the result has the order."""
        n = input.ndim - 1
        perm = self.permutation(size=input.shape[:-1], n=input.shape[-1], ndim=n)
        shuffled = permute_row_elements(input, perm)
        shuffled.permutation = perm
        return shuffled


@streams_in("theano.tensor.shared_randomstreams")
class RandomStreams(RandomStreamsBase):
    """Random variables from NumPy's generator, each with its own shared state.

    A function that uses such a variable draws it once per call and stores the next state. No
    ``updates`` are needed; ``no_default_updates=True`` leaves the state unchanged. The
    distributions are methods, with the arguments of the functions in ``raw_random``.

    Parameters
    ----------
    seed : int, optional
        The seed of the generator that draws the seeds of the states.

    Attributes
    ----------
    state_updates : list of pairs
        The state of each variable created so far, and the expression for its next state.

    >>> import theano
    >>> from theano.tensor.shared_randomstreams import RandomStreams
    >>> rng = RandomStreams(seed=123)
    >>> f = theano.function([], rng.uniform((1,)))
    >>> f().tolist(), f().tolist()
    ([0.7280300...], [0.5904412...])
    """

    def __init__(self, seed: int | None = None) -> None:
        self.state_updates: list[tuple[Any, Any]] = []
        self.default_instance_seed = seed
        if seed is None and process_group.joined:
            raise ValueError(
                "RandomStreams takes a seed where several processes run a program: without one "
                "each of them would draw other numbers"
            )
        try:
            self.gen_seedgen = np.random.RandomState(seed)
        except TypeError:
            raise TypeError(
                f"RandomStreams takes an integer as seed, got {seed!r:.40} of {type(seed).__name__}"
            ) from None

    def updates(self) -> list[tuple[Any, Any]]:
        """Return a copy of ``state_updates``."""
        return list(self.state_updates)

    def seed(self, seed: int | None = None) -> None:
        """Reseed the states of all variables created so far, each with a different seed.

        Parameters
        ----------
        seed : int, optional
            By default, the seed given to the constructor.
        """
        seeds = np.random.RandomState(self.default_instance_seed if seed is None else seed)
        for state, _ in self.state_updates:
            state.set_value(np.random.RandomState(int(seeds.randint(_SEEDS))), borrow=True)

    def gen(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return a new random variable: the second output of ``op(state, *args, **kwargs)``."""
        state = shared(np.random.RandomState(int(self.gen_seedgen.randint(_SEEDS))), borrow=True)
        state.tag.is_rng = True
        new, out = op(state, *args, **kwargs)
        out.rng = state
        out.update = (state, new)
        self.state_updates.append(out.update)
        state.default_update = new
        return out

    def __getitem__(self, item: Variable) -> Any:
        """Return the generator of a state or a random variable; it is not a copy."""
        state: Any = getattr(item, "rng", item)
        return state.get_value(borrow=True)

    def __setitem__(self, item: Variable, val: np.random.RandomState) -> None:
        """Replace the generator of a state or a random variable."""
        state: Any = getattr(item, "rng", item)
        state.set_value(val, borrow=True)
