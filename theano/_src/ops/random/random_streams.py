"""RandomStreams: random variables, each with a generator of its own that moves on by itself."""

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

#: seeds of generators are drawn from the integers below it
_SEEDS = 2**30


@documented_in("theano.tensor.shared_randomstreams")
@runtime_checkable
class RandomVariable(Protocol):
    """What the methods of RandomStreams give: a tensor variable with two attributes more.

    Attributes
    ----------
    rng : RandomStateSharedVariable
        Holds the generator that the variable is drawn from.
    update : pair
        ``rng``, and the expression of its state after the draw.

    >>> from theano.tensor.shared_randomstreams import RandomStreams, RandomVariable
    >>> isinstance(RandomStreams(1).uniform((2,)), RandomVariable)
    True
    """

    rng: Any
    update: tuple[Any, Any]


@streams_in("theano.tensor.raw_random")
class RandomStreamsBase:
    """The distributions, as methods; a subclass says in ``gen`` where the states come from.

    ``size`` is the shape of the sample: a tuple of integers and scalars, or an integer vector; the
    arguments' if not given. ``ndim`` says how many lengths a symbolic one has, where the graph does
    not tell.
    """

    def gen(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A sample of ``op``, which takes a state and gives the next with the sample."""
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
        """How many of ``n`` trials succeed, each with probability ``p``."""
        return self.gen(raw_random.binomial, size, n, p, ndim=ndim, dtype=dtype, prob=prob)

    def uniform(
        self,
        size: ShapeLike = None,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
    ) -> Any:
        """Numbers that are uniform from ``low`` up to, not including, ``high``."""
        return self.gen(raw_random.uniform, size, low, high, ndim=ndim, dtype=dtype)

    def normal(
        self,
        size: ShapeLike = None,
        avg: TensorLike = 0.0,
        std: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
    ) -> Any:
        """Numbers of the normal distribution with mean ``avg`` and standard deviation ``std``."""
        return self.gen(raw_random.normal, size, avg, std, ndim=ndim, dtype=dtype)

    def random_integers(
        self,
        size: ShapeLike = None,
        low: TensorLike = 0,
        high: TensorLike = 1,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Integers from ``low`` to ``high``, both included."""
        return self.gen(raw_random.random_integers, size, low, high, ndim=ndim, dtype=dtype)

    def randint(
        self,
        low: int | TensorVariable,
        high: int | TensorVariable | None = None,
        size: ShapeLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Integers from ``low``, or 0 if it is given alone, up to and not including the other."""
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
        """Elements of the vector ``a``, or integers below it, with the probabilities ``p``."""
        return self.gen(raw_random.choice, size, a, replace, p, ndim=ndim, dtype=dtype)

    def poisson(
        self,
        size: ShapeLike = None,
        lam: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Counts of the Poisson distribution with mean ``lam``, 1 if not given."""
        lam = 1.0 if lam is None else lam
        return self.gen(raw_random.poisson, size, lam, ndim=ndim, dtype=dtype)

    def permutation(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """Permutations of the integers below ``n``, in a dimension more than ``size`` has."""
        return self.gen(raw_random.permutation, size, n, ndim=ndim, dtype=dtype)

    def multinomial(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        pvals: TensorLike = (0.5, 0.5),
        ndim: int | None = None,
        dtype: str = "int64",
    ) -> Any:
        """How often each class comes in ``n`` experiments, in a dimension more than ``size``."""
        return self.gen(raw_random.multinomial, size, n, pvals, ndim=ndim, dtype=dtype)

    def shuffle_row_elements(self, input: TensorVariable) -> Any:
        """``input``, each row (last dimension) in another order, which ``.permutation`` has."""
        n = input.ndim - 1
        perm = self.permutation(size=input.shape[:-1], n=input.shape[-1], ndim=n)
        shuffled = permute_row_elements(input, perm)
        shuffled.permutation = perm
        return shuffled


@streams_in("theano.tensor.shared_randomstreams")
class RandomStreams(RandomStreamsBase):
    """Random variables on NumPy's generator: each has a shared state of its own.

    A function that uses such a variable draws it once a call, and stores the state after: no
    ``updates`` are needed, and ``no_default_updates=True`` leaves the state as it is. The
    distributions are methods, with the arguments of the functions in ``raw_random``.

    Parameters
    ----------
    seed : int, optional
        Seeds of the states are drawn from a generator with this seed.

    Attributes
    ----------
    state_updates : list of pairs
        The state of each variable made so far, and the expression of the next.

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
        """The pairs of ``state_updates``, in a list of their own."""
        return list(self.state_updates)

    def seed(self, seed: int | None = None) -> None:
        """Seed the states of all variables made so far anew, each differently.

        Parameters
        ----------
        seed : int, optional
            Otherwise the one that the streams were made with.
        """
        seeds = np.random.RandomState(self.default_instance_seed if seed is None else seed)
        for state, _ in self.state_updates:
            state.set_value(np.random.RandomState(int(seeds.randint(_SEEDS))), borrow=True)

    def gen(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A new random variable: ``op(state, *args, **kwargs)`` gives the next state and it."""
        state = shared(np.random.RandomState(int(self.gen_seedgen.randint(_SEEDS))), borrow=True)
        state.tag.is_rng = True
        new, out = op(state, *args, **kwargs)
        out.rng = state
        out.update = (state, new)
        self.state_updates.append(out.update)
        state.default_update = new
        return out

    def __getitem__(self, item: Variable) -> Any:
        """The generator of a state, or of a random variable: what is stored, not a copy."""
        state: Any = getattr(item, "rng", item)
        return state.get_value(borrow=True)

    def __setitem__(self, item: Variable, val: np.random.RandomState) -> None:
        """Put a generator in the place of the one that a state or a random variable has."""
        state: Any = getattr(item, "rng", item)
        state.set_value(val, borrow=True)
