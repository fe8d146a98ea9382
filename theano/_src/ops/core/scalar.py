"""ScalarOp: a function of single numbers, the base of Elemwise and of reductions.

An op defines its result once, as ``compute(xp, *inputs)`` on whole arrays that have already been
cast to the op's loop dtypes. It also defines which loop dtypes are used for which input dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.old_state import made_of_names
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ground.utils import MethodNotDefined
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core import scalar_c
from theano._src.ops.core.upcast import (
    OutputTypes,
    discrete_out,
    same_out,
    specific_out,
    upcast_out,
    upgrade_to_float,
)
from theano._src.types.aliases import TensorLike
from theano._src.types.dtypes import NUMPY_DTYPES, complex_dtypes, discrete_dtypes, upcast
from theano._src.types.scalar import Scalar, as_scalar, get_scalar_type


def _numpy_function(name: str) -> Callable[..., Any]:
    """Return a ``compute`` method that calls the NumPy function ``name``."""

    def compute(self: ScalarOp, xp: ArrayNamespace, *inputs: Array) -> Any:
        return getattr(xp, name)(*inputs)

    return compute


@documented_in("theano.scalar.basic")
class ScalarOp(Op):
    """A function of numbers.

    A subclass defines ``compute(xp, *inputs)`` (arrays, both engines) or ``impl(*inputs)`` (one
    number each, host only), the output dtype as ``output_types_preference``, and the gradient as
    ``pullback``, as ``L_op`` on tensors or as ``grad`` on scalars.

    ``name`` is the printed name, in formulas and in the name of the Elemwise; the default is the
    name of the class. ``nfunc`` is the name of the equivalent NumPy function, if there is one. The
    numpy engine calls it directly, and it serves as ``compute`` if the class defines none. A
    subclass that redefines ``compute``, ``impl`` or ``c_code`` does not inherit ``nfunc``.

    ``pullback(g, x, y)`` defines ``L_op`` of an op with one input as a formula: the gradient of
    ``x``, where ``g`` is the gradient of the output ``y``.

    ``operator`` is the Python operator, infix or, for one input, prefix.
    """

    nin = -1
    nout = 1
    #: its nodes are graphs of single numbers; properties of arrays belong to its Elemwise
    of_numbers: ClassVar[bool] = True
    commutative: ClassVar[bool] = False
    associative: ClassVar[bool] = False
    #: whether non-integer results are rounded, so that the order of evaluation matters
    rounds: ClassVar[bool] = False
    identity: Any = None
    nfunc: str | None = None
    operator: str | None = None
    pullback: Callable[[Any, Any, Any], Any]
    #: output dtypes; set by subclasses, an argument of __init__ takes precedence
    output_types_preference: OutputTypes | None = None

    name: str | None = None
    #: cached dtypes by input dtypes; each object creates its own dict on first use, as subclasses
    #: need not call ``__init__``
    _plans: dict[Any, Any] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "nfunc" not in own and not own.keys().isdisjoint(("compute", "c_code", "impl")):
            cls.nfunc = None
        if "compute" in own:
            pass
        elif own.get("nfunc") is not None:
            cls.compute = _numpy_function(own["nfunc"])  # type: ignore[method-assign]
        elif "c_code" in own:
            cls.compute = ScalarOp._compute_in_c  # type: ignore[method-assign]
            cls.runs_on = own.get("runs_on", "any")
        # an impl overrides an inherited compute; only the host can run it
        elif "impl" in own:
            cls.compute = ScalarOp.compute  # type: ignore[method-assign]
            cls.runs_on = "host"

    def __init__(
        self, output_types_preference: OutputTypes | None = None, name: str | None = None
    ) -> None:
        if name is not None:
            self.name = name
        if output_types_preference is not None:
            if not callable(output_types_preference):
                raise TypeError(
                    f"{type(self).__name__} takes a function as output_types_preference, got "
                    f"{output_types_preference!r}"
                )
            self.output_types_preference = output_types_preference

    def make_node(self, *inputs: TensorLike) -> Apply:
        if self.nin >= 0 and len(inputs) != self.nin:
            raise TypeError(f"{self} takes {self.nin} inputs, got {len(inputs)}")
        ins = [as_scalar(x) for x in inputs]
        return Apply(self, ins, [t() for t in self.output_types([x.type for x in ins])])

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        preference = self.output_types_preference
        if preference is None:
            raise NotImplementedError(
                f"{type(self).__name__} needs output_types_preference: which dtype comes out"
            )
        scalars = list(preference(*types))
        if len(scalars) != self.nout:
            raise TypeError(f"{self} has {self.nout} outputs, its preference gave {len(scalars)}")
        return scalars

    def for_dtypes(self, dtypes: Sequence[str]) -> ScalarOp:
        """Return the op to use for these input dtypes; Composite returns a specialized one."""
        return self

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        """Return the dtypes that the inputs are cast to before ``compute``."""
        return (upcast(*dtypes, *outs),) * len(dtypes)

    def plan(self, dtypes: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the NumPy dtypes of the loop inputs and of the outputs, for these input dtypes."""
        key = (dtypes, config.cast_policy, config.floatX)
        plans = self._known_plans()
        result = plans.get(key)
        if result is None:
            names = tuple(np.dtype(d).name for d in dtypes)
            outs = tuple(t.dtype for t in self.output_types([get_scalar_type(n) for n in names]))
            # C converts its inputs itself
            loops = (
                names
                if self.in_c
                else tuple(self.loop_dtypes(names, self._computed_in(names, outs)))
            )
            result = plans[key] = (
                tuple(NUMPY_DTYPES[n] for n in loops),
                tuple(NUMPY_DTYPES[n] for n in outs),
            )
        return result

    def _computed_in(self, names: Sequence[str], outs: tuple[str, ...]) -> tuple[str, ...]:
        """Return the dtypes of the results before they are cast to ``outs``.

        An op with an explicit ``output_types_preference`` computes as it would without one: a
        quotient that is stored as integers is divided as floats.
        """
        own = type(self).output_types_preference
        if own is None or "output_types_preference" not in self.__dict__:
            return outs
        try:
            results = [t.dtype for t in own(*[get_scalar_type(n) for n in names])]
        except TypeError:
            return outs  # input dtypes that need an explicit output dtype
        return tuple(
            mine if out in discrete_dtypes else upcast(mine, out)
            for mine, out in zip(results, outs, strict=True)
        )

    def output_dtypes(self, dtypes: Sequence[str]) -> tuple[str, ...]:
        """Names of the output dtypes for inputs of these dtypes."""
        key = ("names", *dtypes, config.cast_policy, config.floatX)
        plans = self._known_plans()
        outs: tuple[str, ...] | None = plans.get(key)
        if outs is None:
            types = self.output_types([get_scalar_type(d) for d in dtypes])
            outs = plans[key] = tuple(t.dtype for t in types)
        return outs

    def _known_plans(self) -> dict[Any, Any]:
        if self._plans is None:
            self._plans = {}
        return self._plans

    def impl(self, *inputs: Any) -> Any:
        for cls in type(self).__mro__:
            compute = cls.__dict__.get("compute")
            if compute not in (None, ScalarOp.compute, Op.compute):
                arrays = [np.asarray(x) for x in inputs]
                loops, outs = self.plan(tuple(a.dtype for a in arrays))
                return _on_numbers(partial(compute, self, numpy_xp), loops, outs)(*arrays)
        raise MethodNotDefined("impl", type(self), self.__class__.__name__)

    def compute(self, xp: ArrayNamespace, *inputs: Any) -> Any:
        """Call ``impl`` for each element, on the host; subclasses override this."""
        return np.frompyfunc(self.impl, len(inputs), self.nout)(*inputs)

    def _compute_in_c(self, xp: ArrayNamespace, *inputs: Any) -> Any:
        """Run the C code in a loop over the elements, or ``impl`` if it cannot be compiled."""
        why = scalar_c.why_not(self, [np.dtype(x.dtype).name for x in inputs])
        if why is None:
            return scalar_c.run_over(self, xp, inputs)
        if type(self).impl is ScalarOp.impl:
            raise NotImplementedError(
                f"{self} has C code only, which cannot run here: {why}; give it impl or compute"
            )
        if type(self) not in _by_impl:
            _by_impl.add(type(self))
            warn_user(f"{self} runs by its impl, a number at a time, not by its C code: {why}")
        return ScalarOp.compute(self, xp, *inputs)

    @property
    def in_c(self) -> bool:
        """Whether the op is computed by its C code."""
        return type(self).compute is ScalarOp._compute_in_c and "impl" not in self.__dict__

    def compiles_for(self, dtypes: Sequence[str]) -> bool:
        """Whether the op can be part of a compiled program, for these input dtypes."""
        if not self.in_c:
            return True
        return scalar_c.in_programs() and scalar_c.why_not(self, dtypes) is None

    def compiles(self, node: Apply) -> bool:
        return self.runs_on != "host" and self.compiles_for([v.type.dtype for v in node.inputs])

    @property
    def has_compute(self) -> bool:
        """Whether both engines can run it."""
        return type(self).compute is not ScalarOp.compute and "impl" not in self.__dict__

    def ufunc_for(self, dtypes: tuple[Any, ...]) -> np.ufunc | None:
        """Return NumPy's ufunc if it uses the same dtypes for these inputs by itself, or None."""
        if self.nfunc is None or not self.has_compute or self.in_c:
            return None
        ufunc = getattr(np, self.nfunc)
        if not isinstance(ufunc, np.ufunc) or ufunc.nin != len(dtypes):
            return None
        loops, outs = self.plan(dtypes)
        try:
            resolved = ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))
        except TypeError:
            return None
        return ufunc if resolved == (*loops, *outs) else None

    def loop(self, node: Apply) -> Callable[..., Any] | None:
        """Return ``f(*arrays, out)`` that runs an Elemwise node of this op on NumPy, or None."""
        if self.in_c:
            dtypes = [v.type.dtype for v in node.inputs]
            return scalar_c.Loop(self, dtypes) if scalar_c.why_not(self, dtypes) is None else None
        return self.ufunc_for(tuple(v.type.numpy_dtype for v in node.inputs))

    # nodes of single numbers only: Elemwise and Composite plan dtypes themselves

    def bind(self, node: Apply) -> Callable[..., Any]:
        loops, _ = self.plan(tuple(v.type.numpy_dtype for v in node.inputs))
        outs = tuple(v.type.numpy_dtype for v in node.outputs)
        if not self.has_compute:
            return _on_numbers(self.impl, (None,) * len(loops), outs)
        return _on_numbers(partial(self.compute, numpy_xp), loops, outs)

    def bind_xla(self, node: Apply) -> Callable[..., Any]:
        loops, _ = self.plan(tuple(v.type.numpy_dtype for v in node.inputs))
        outs = tuple(v.type.numpy_dtype for v in node.outputs)

        def run(xp: ArrayNamespace, sizes: Sequence[int], *inputs: Any) -> Any:
            ins = [xp.astype(x, d) for x, d in zip(inputs, loops, strict=True)]
            result = self.lower_xla(xp, sizes, *ins)
            if len(outs) == 1:
                return brought_to(xp, result, outs[0])
            return tuple(brought_to(xp, m, d) for m, d in zip(result, outs, strict=True))

        return run

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        result = self.bind(node)(*inputs)
        for cell, value in zip(output_storage, result if self.nout > 1 else [result], strict=True):
            cell[0] = value

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self.output_types_preference == other.output_types_preference
            and self._own_props() == other._own_props()
        )

    def __hash__(self) -> int:
        return hash((type(self), self.output_types_preference, self._own_props()))

    def _own_props(self) -> tuple[Any, ...]:
        return tuple(getattr(self, n) for n in getattr(self, "__props__", ()))

    def __str__(self) -> str:
        if self.name:
            return self.name
        props = self._own_props()
        shown = f"{{{', '.join(map(str, props))}}}" if props else ""
        return type(self).__name__ + shown

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_plans": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_plans" not in state:
            state = vars(made_of_names(type(self), self._without_default(state)))
        self.__dict__.update(state)

    def _without_default(self, state: dict[str, Any]) -> dict[str, Any]:
        """Remove the dtype rule that states of Theano 1.0 store for every op of the class."""
        if type(self).output_types_preference is None:
            return state
        return {k: v for k, v in state.items() if not isinstance(v, FunctionType)}

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)


#: classes whose users were warned that the C code cannot run
_by_impl: set[type] = set()


def _on_numbers(
    meaning: Callable[..., Any], loops: Sequence[Any], outs: Sequence[Any]
) -> Callable[..., Any]:
    """Wrap ``meaning`` to cast inputs to ``loops`` (None: unchanged), outputs to ``outs``."""

    def run(*inputs: Any) -> Any:
        # 0-d arrays: NumPy warns about integer overflow only for scalars
        result = meaning(
            *[x if d is None else np.asarray(x, d) for x, d in zip(inputs, loops, strict=True)]
        )
        if len(outs) == 1:
            return brought_to(numpy_xp, np.asarray(result), outs[0])[()]
        return tuple(
            brought_to(numpy_xp, np.asarray(m), d)[()] for m, d in zip(result, outs, strict=True)
        )

    return run


def wrapped(xp: ArrayNamespace, x: Array, dtype: str) -> Any:
    """Truncate floats and wrap them to the range of an integer dtype."""
    if x.dtype == "float16":
        x = xp.astype(x, "float32")
    end = xp.full_like(x, 2.0**63)
    whole = xp.astype(xp.where((x >= -end) & (x < end), x, -end), "int64")
    if dtype == "uint64":
        upper = (x >= end) & (x < 2 * end)
        above = xp.astype(xp.where(upper, x - end, xp.zeros_like(x)), "int64")
        whole = xp.where(upper, above + xp.full_like(above, -(2**63)), whole)
    return xp.astype(whole, dtype)


def brought_to(xp: ArrayNamespace, x: Array, dtype: np.dtype[Any]) -> Any:
    """Cast a computed result to the NumPy dtype of the output."""
    if x.dtype.kind == "f" and dtype.kind in "iu":
        return wrapped(xp, x, dtype.name)
    return xp.astype(x, dtype)


@documented_in("theano.scalar.basic")
class UnaryScalarOp(ScalarOp):
    """A function of one number; the output dtype defaults to the input dtype."""

    nin = 1
    output_types_preference: OutputTypes | None = staticmethod(same_out)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return dtypes


@documented_in("theano.scalar.basic")
class BinaryScalarOp(ScalarOp):
    """A function of two numbers; the output dtype defaults to the upcast of both."""

    nin = 2
    output_types_preference: OutputTypes | None = staticmethod(upcast_out)


class FloatOp(UnaryScalarOp):
    """A function of one real or complex number; integers become floats first."""

    rounds = True
    output_types_preference = staticmethod(upgrade_to_float)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return outs


class _RealNumbers(ScalarOp):
    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        if any(t.dtype in complex_dtypes for t in types):
            raise TypeError(f"{self} takes real numbers, got {[t.dtype for t in types]}")
        return super().output_types(types)


class RealOp(_RealNumbers, FloatOp):
    """As FloatOp, for real numbers only."""


class BinaryFloatOp(BinaryScalarOp):
    """A function of two numbers that computes in floats."""

    rounds = True
    output_types_preference = staticmethod(upgrade_to_float)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return (outs[0],) * len(dtypes)


class BinaryRealOp(_RealNumbers, BinaryFloatOp):
    """As BinaryFloatOp, for real numbers only."""


@documented_in("theano.scalar.basic")
class LogicalComparison(BinaryScalarOp):
    """A comparison of two numbers; returns bool."""

    output_types_preference = staticmethod(specific_out(get_scalar_type("bool")))

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return (upcast(*dtypes),) * len(dtypes)


class Predicate(UnaryScalarOp):
    """A test of one number; returns bool."""

    output_types_preference = staticmethod(specific_out(get_scalar_type("bool")))


@documented_in("theano.scalar.basic")
class UnaryBitOp(UnaryScalarOp):
    """A bitwise function of an integer or a bool."""

    output_types_preference = staticmethod(discrete_out)


@documented_in("theano.scalar.basic")
class BinaryBitOp(BinaryScalarOp):
    """A bitwise function of two integers or bools."""

    output_types_preference = staticmethod(discrete_out)
