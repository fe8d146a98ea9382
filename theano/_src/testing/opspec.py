"""OpSpec: one record that describes an op for tests: its inputs, results and errors."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, product
from typing import Any, Literal

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.tensor import tensor_type

#: the seed of all random draws; printed in the header of a test run and in every failure
SEED = int(os.environ.get("THEANO_TEST_SEED", "20070101"))

#: relative tolerance by dtype of the result, unless a spec gives its own
RTOL = {
    "float64": 1e-12,
    "complex128": 1e-12,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float16": 2e-2,
}

# the shape and the broadcast pattern of each input, in turn
_SHAPES: dict[str, tuple[tuple[tuple[int, ...], tuple[bool, ...]], ...]] = {
    "matrix": (((2, 3), (False, False)),),
    "scalar": (((), ()),),
    "vector": (((3,), (False,)),),
    "empty": (((0,), (False,)),),
    "row": (((1, 3), (True, False)),),
    "row_col": (((1, 3), (True, False)), ((2, 1), (False, True))),
    "vector_matrix": (((3,), (False,)), ((2, 3), (False, False))),
    "matrix_scalar": (((2, 3), (False, False)), ((), ())),
    "mismatch": (((3, 2), (False, False)), ((1, 2), (False, False))),
}
_FULL = ("matrix", "row_col", "vector_matrix", "matrix_scalar")  # only the first for one input
_ODD = ("scalar", "vector", "empty", "row")
_MIXED = 4  # dtype combinations beyond the uniform ones


def rng_for(*what: str) -> np.random.Generator:
    """Return a generator that depends only on these words and the seed."""
    return np.random.default_rng([SEED, zlib.crc32("/".join(what).encode())])


@dataclass(frozen=True)
class Built:
    """A case as a graph: symbolic inputs, their values, and the outputs of the function."""

    inputs: list[Variable]
    values: list[np.ndarray]
    outputs: list[Variable]
    many: bool

    @property
    def givens(self) -> dict[Variable, np.ndarray]:
        return dict(zip(self.inputs, self.values, strict=True))


class Case:
    """Arguments of one call of an op.

    Arrays and numbers become symbolic inputs of their dtype, as do arrays in lists and tuples.
    Anything else, and arguments at the positions in ``static``, are passed unchanged.

    Parameters
    ----------
    *args
    kwargs : dict, optional
        Passed unchanged to the function and to the reference.
    static : sequence of int, optional
        Positions of arguments that are not symbolic.
    broadcastable : dict, optional
        ``{position: pattern}``; no dimension is broadcastable otherwise.
    id : str, optional
        Its name in reports.
    grad : str, optional
        ``"none: reason"`` where the function has no gradient at these arguments.

    >>> Case(np.arange(6.0), 2, kwargs={"axis": 0}, id="halves")
    Case(halves)
    """

    def __init__(
        self,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        static: Sequence[int] = (),
        broadcastable: Mapping[int, Sequence[bool]] | None = None,
        id: str | None = None,
        grad: str | None = None,
    ) -> None:
        if grad is not None and not grad.startswith("none: "):
            raise ValueError(f"Case takes 'none: reason' as grad, got {grad!r}")
        self.grad = grad
        self.args = args
        self.kwargs = dict(kwargs or {})
        self.static = tuple(static)
        self.broadcastable = dict(broadcastable or {})
        self.id = id

    def __repr__(self) -> str:
        return f"Case({self.id or ', '.join(map(_short, self.args))})"

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Dtypes of the symbolic inputs."""
        return tuple(v.dtype.name for v in self._symbolic()[1])

    @property
    def values(self) -> list[np.ndarray]:
        """Values of the symbolic inputs."""
        return self._symbolic()[1]

    def with_floats(self, change: Callable[[np.ndarray], np.ndarray]) -> Case:
        """Return the same case with ``change`` applied to each array of floats."""
        numbers = (np.ndarray, np.generic, float, complex)
        return self._changed(lambda x: change(x) if x.dtype.kind in "fc" else x, numbers)

    def with_arrays(self, change: Callable[[np.ndarray], np.ndarray]) -> Case:
        """Return the same case with ``change`` applied to each array."""
        return self._changed(change, np.ndarray)

    def _changed(self, change: Callable[[np.ndarray], np.ndarray], kinds: Any) -> Case:
        def one(x: Any, kinds: Any = np.ndarray) -> Any:
            if isinstance(x, kinds):
                given = np.asarray(x)
                result = change(given)
                return x if result is given else result
            return type(x)([one(a) for a in x]) if isinstance(x, (list, tuple)) else x

        args = [a if i in self.static else one(a, kinds) for i, a in enumerate(self.args)]
        return Case(
            *args,
            kwargs=self.kwargs,
            static=self.static,
            broadcastable=self.broadcastable,
            id=self.id,
            grad=self.grad,
        )

    def _symbolic(self) -> tuple[list[Any], list[np.ndarray], list[Variable]]:
        args: list[Any] = []
        values: list[np.ndarray] = []
        inputs: list[Variable] = []

        def variable(x: Any, pattern: Any = None) -> Variable:
            value = np.asarray(x)
            kind = tensor_type(value.dtype.name, tuple(pattern or (False,) * value.ndim))
            inputs.append(kind(f"x{len(inputs)}"))
            values.append(value)
            return inputs[-1]

        for i, arg in enumerate(self.args):
            if i in self.static:
                args.append(arg)
            elif isinstance(arg, (np.ndarray, np.generic, bool, int, float, complex)):
                args.append(variable(arg, self.broadcastable.get(i)))
            elif isinstance(arg, (list, tuple)):
                results = [variable(a) if isinstance(a, np.ndarray) else a for a in arg]
                args.append(type(arg)(results))
            else:
                args.append(arg)
        return args, values, inputs

    def build(self, fn: Callable[..., Any]) -> Built:
        """Return the graph of ``fn`` on these arguments."""
        args, values, inputs = self._symbolic()
        result = fn(*args, **self.kwargs)
        many = isinstance(result, (list, tuple))
        return Built(inputs, values, list(result) if many else [result], many)

    def reference(self, ref: Callable[..., Any], widen: Callable[[Any], Any]) -> list[Any]:
        """Return the results of ``ref`` on these arguments, with ``widen`` applied to arrays."""

        def one(x: Any) -> Any:
            if isinstance(x, (np.ndarray, np.generic)):
                return widen(np.array(x))
            if isinstance(x, (list, tuple)):
                return type(x)([one(a) for a in x])
            return x

        with np.errstate(all="ignore"):
            result = ref(*[one(a) for a in self.args], **self.kwargs)
        return list(result) if isinstance(result, (list, tuple)) else [result]


class Raises:
    """An expected error: arguments, the exception, and a pattern for its text.

    Parameters
    ----------
    args : tuple
        As for Case; a single argument that is not a tuple need not be put in one.
    exception : type
    match : str
        A regular expression, searched for in the text.
    when : {'build', 'run'}
        Whether building the graph raises, or only running it.
    """

    def __init__(
        self,
        args: Any,
        exception: type[BaseException],
        match: str,
        when: Literal["build", "run"] = "build",
        **case: Any,
    ) -> None:
        if when not in ("build", "run"):
            raise ValueError(f"Raises takes 'build' or 'run' as when, got {when!r}")
        self.case = Case(*(args if isinstance(args, tuple) else (args,)), **case)
        self.exception = exception
        self.match = match
        self.when = when


@dataclass(eq=False, kw_only=True)
class _Facts:
    name: str | None = None
    nin: int = 1
    dtypes: Sequence[Any] = ("float32", "float64")
    domain: Sequence[Any] = (-3, 3)
    special: Mapping[Any, Any] | Sequence[tuple[Any, Any]] = ()
    out_dtype: Any = None
    cases: Sequence[Case] | None = None
    rtol: float | Mapping[str, float] | None = None
    errors: Sequence[Raises] = ()
    grad: str = "smooth"
    fixed: Mapping[int, str] = field(default_factory=dict)
    xla: bool | str = True
    xla_rtol: Mapping[str, float] = field(default_factory=dict)
    sizes: str = "symbolic"
    file: bool | str = True
    _drawn: list[Case] | None = field(default=None, repr=False)


class OpSpec(_Facts):
    """One op, or a function that builds a graph of ops, with everything that tests check of it.

    Parameters
    ----------
    fn : callable
        Called with symbolic variables.
    ref : callable
        The reference: the same function on arrays, written for the test or taken from elsewhere.
        It gets floats as float64, so that it is accurate in the digits that are compared.
    name : str, optional
        Required if ``fn`` has none.
    nin : int
        Number of inputs of an elementwise function.
    dtypes : sequence of str, or one such sequence for each input
    domain : (low, high), or one such pair for each input
        The range from which values are drawn, those of integers too.
    special : dict, or sequence of pairs
        ``{input: result}`` or ``{inputs: result}``, compared exactly: NaN, infinities, and the
        sign of a zero that is written as a float. Use pairs if both zeros are inputs.
    out_dtype : str, dict or callable, optional
        By dtype of the inputs; by default the dtype of the reference's result. A tuple for several
        outputs. With a dict, only the combinations that it lists are tried.
    cases : sequence of Case, optional
        Used instead of draws, for functions that are not elementwise.
    rtol : float or dict by dtype, optional
        A float applies to float64 and complex128; narrower dtypes use at least their default.
    errors : sequence of Raises
    grad : str
        ``"smooth"``: first and second gradients are checked; ``"once: reason"`` if there is no
        second gradient; ``"none: reason"`` if there is no gradient.
    fixed : dict
        ``{input: reason}`` for inputs in which the op has no gradient.
    xla : True or str
        ``"host: reason"`` if one of its ops runs only on the host.
    xla_rtol : dict by dtype, optional
        Tolerances where XLA's function is less accurate than NumPy's or SciPy's.
    sizes : str
        ``"symbolic"``: one function is called at two sizes; ``"none: reason"`` if no case has a
        size. Drawn cases have several sizes.
    file : True or str
        ``"none: reason"`` if graph files cannot store one of its ops.

    >>> import theano.tensor as T
    >>> OpSpec(T.exp, np.exp, domain=(-5, 5), special={0: 1, -np.inf: 0.0})
    OpSpec(exp)
    """

    def __init__(self, fn: Callable[..., Any], ref: Callable[..., Any], **facts: Any) -> None:
        super().__init__(**facts)
        self.fn = fn
        self.ref = ref
        self.name = self.name or _name_of(fn)
        if self.xla is not True and not str(self.xla).startswith("host: "):
            raise ValueError(
                f"OpSpec({self.name}) takes True or 'host: reason' as xla, got {self.xla!r}"
            )
        if self.grad != "smooth" and not self.grad.startswith(("none: ", "once: ")):
            raise ValueError(
                f"OpSpec({self.name}) takes 'smooth', 'once: reason' or 'none: reason' as grad, "
                f"got {self.grad!r}"
            )
        if self.sizes != "symbolic" and not self.sizes.startswith("none: "):
            raise ValueError(
                f"OpSpec({self.name}) takes 'symbolic' or 'none: reason' as sizes, "
                f"got {self.sizes!r}"
            )

        if self.file is not True and not str(self.file).startswith("none: "):
            raise ValueError(
                f"OpSpec({self.name}) takes True or 'none: reason' as file, got {self.file!r}"
            )

    def __repr__(self) -> str:
        return f"OpSpec({self.name})"

    @property
    def elementwise(self) -> bool:
        """Whether inputs are drawn; otherwise they are listed in ``cases``."""
        return self.cases is None

    def all_cases(self) -> list[Case]:
        """Return the cases, with ids; drawn once for an elementwise spec."""
        if self._drawn is None:
            self._drawn = self._draw_all() if self.cases is None else list(self.cases)
            for i, case in enumerate(self._drawn):
                case.id = case.id or f"case{i}"
        return self._drawn

    def combinations(self) -> list[tuple[str, ...]]:
        """Return every combination of input dtypes that the spec covers."""
        each = self._dtypes_each()
        pairs = list(product(*each))
        if isinstance(self.out_dtype, Mapping):
            pairs = [c for c in pairs if self._listed(c) is not None]
        return pairs

    def dtypes_of(self, i: int) -> Sequence[str]:
        """Return the dtypes of input ``i``."""
        return self._dtypes_each()[i]

    def _dtypes_each(self) -> list[Sequence[str]]:
        if isinstance(self.dtypes[0], str):
            return [self.dtypes] * self.nin
        return list(self.dtypes)

    def _listed(self, dtypes: tuple[str, ...]) -> Any:
        table = self.out_dtype
        if dtypes in table:
            return table[dtypes]
        return table.get(dtypes[0]) if len(set(dtypes)) == 1 else None

    def dtypes_out(self, case: Case) -> list[str]:
        """Return the dtypes that the outputs of a case must have."""
        dtypes = case.dtypes
        match self.out_dtype:
            case None:
                out = case.reference(self.ref, lambda x: x)
                return [np.asarray(m).dtype.name for m in out]
            case str() | tuple():
                result = self.out_dtype
            case Mapping():
                result = self._listed(dtypes)
                if result is None:
                    raise AssertionError(f"out_dtype of {self} has no entry for {dtypes}")
            case _:
                result = self.out_dtype(*dtypes)
        many = result if isinstance(result, (tuple, list)) else [result]
        return [np.dtype(d).name for d in many]

    def expected(self, case: Case, dtypes: Sequence[str]) -> list[np.ndarray]:
        """Return the results of the reference, in the dtypes that the op's must have."""
        floats = self.elementwise and any(NUMPY_DTYPES[d].kind in "fc" for d in dtypes)
        result = case.reference(self.ref, _widen_all if floats else _widen_floats)
        with np.errstate(all="ignore"):
            return [_cast(m, d) for m, d in zip(result, dtypes, strict=True)]

    def tolerance(self, dtype: str) -> float:
        """Return the relative tolerance for a result of this dtype; 0 for integers."""
        default = RTOL.get(dtype, 0.0)
        if self.rtol is None or not default:
            return default
        if isinstance(self.rtol, Mapping):
            return self.rtol.get(dtype, default)
        return self.rtol if default == 1e-12 else max(self.rtol, default)

    def tolerance_on_xla(self, dtype: str) -> float:
        """Return the relative tolerance for a result of this dtype on XLA."""
        return max(self.tolerance(dtype), self.xla_rtol.get(dtype, 0.0))

    def draw(self, combination: tuple[str, ...], shape: str, inside: float = 0.0) -> Case:
        """Return a case with values drawn from the domain, of one of the named shapes.

        Floats keep away from the ends of the domain by the fraction ``inside`` of its width.
        """
        rng = rng_for(str(self.name), shape, *combination)
        domain = self.domain
        pairs = [domain] * self.nin if np.isscalar(domain[0]) else list(domain)
        inputs = _SHAPES[shape]
        args, patterns = [], {}
        for i, dtype in enumerate(combination):
            lengths, pattern = inputs[i % len(inputs)]
            args.append(_draw(rng, np.dtype(dtype), pairs[i], lengths, inside))
            patterns[i] = pattern
        short = combination[0] if len(set(combination)) == 1 else "_".join(combination)
        return Case(*args, broadcastable=patterns, id=f"{short}-{shape}")

    def _draw_all(self) -> list[Case]:
        """Draw each sampled combination of dtypes on one full shape, and each odd shape once."""
        every = self.combinations()
        mixed = [c for c in every if len(set(c)) > 1]
        if len(mixed) > _MIXED:
            rng = rng_for(str(self.name), "combinations")
            mixed = [mixed[i] for i in sorted(rng.choice(len(mixed), _MIXED, replace=False))]
        tried = [c for c in every if len(set(c)) == 1] + mixed
        full = _FULL if self.nin > 1 else _FULL[:1]
        # use every full shape, even if there are few combinations
        count = max(len(tried), len(full))
        return [
            self.draw(tried[i % len(tried)], shape)
            for shapes, many in ((full, count), (_ODD, len(_ODD)))
            for i, shape in zip(range(many), cycle(shapes))
        ]


def _name_of(fn: Any) -> str:
    scalar_op = getattr(fn, "scalar_op", None)
    name = str(scalar_op) if scalar_op is not None else getattr(fn, "__name__", None) or str(fn)
    if name == "<lambda>":
        raise ValueError("OpSpec takes a name for a lambda; give name=")
    return name


def _draw(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    domain: Any,
    shape: tuple[int, ...],
    inside: float,
) -> np.ndarray:
    low, high = domain
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        first = max(int(np.ceil(low)), info.min)
        last = min(int(np.floor(high)), info.max)
        if first > last:
            raise ValueError(f"the domain {domain} holds no {dtype}")
        return np.asarray(rng.integers(first, last, shape, dtype=dtype, endpoint=True))
    if dtype.kind == "c":
        return np.asarray(rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape), dtype)
    low, high = low + inside * (high - low), high - inside * (high - low)
    return np.asarray(rng.uniform(low, high, shape), dtype)


def _widen_floats(x: np.ndarray) -> np.ndarray:
    """Widen floats and complex numbers; integers, which may be indices or sizes, stay as is."""
    if x.dtype.kind == "f":
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.kind == "c" else x


def _widen_all(x: np.ndarray) -> np.ndarray:
    return _widen_floats(x if x.dtype.kind in "fc" else x.astype(np.float64))


def _cast(x: Any, dtype: str) -> np.ndarray:
    array = np.asarray(x)
    if array.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        array = array.real
    return array.astype(dtype)


def _short(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else repr(x)
