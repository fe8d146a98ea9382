"""Op: the contract for operations, of this package and of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from theano._src.graph import testvalue
from theano._src.graph.c_op import CLinkerOp, gives_c_code, in_c
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_facts import BY_FACT, BY_PROPS, Positions
from theano._src.ground.array_types import ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import shorten
from theano._src.ground.utils import MethodNotDefined
from theano._src.ground.xp import numpy_xp

#: shapes of inputs or outputs, for code that counts or estimates work
Shapes = Sequence[Any]


class Placeholder:
    """Takes the place of a variable in a pattern: an op called on one builds a pattern."""

    def applied(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.applied")


@documented_in("theano.gof.op")
class PureOp:
    """The contract of an op without C code: building nodes, gradients and properties."""

    default_output: int | None = None
    view_map: dict[int, list[int]] = {}
    destroy_map: dict[int, list[int]] = {}
    #: the Type of the fourth argument of ``perform``, which comes from ``get_params``, or None
    params_type: Any = None
    runs_on: ClassVar[Literal["any", "host"]] = "host"
    demand_only: tuple[int, ...] = ()

    def make_node(self, *inputs: Any) -> Apply:
        itypes, otypes = getattr(self, "itypes", None), getattr(self, "otypes", None)
        if itypes is None or otypes is None:
            raise MethodNotDefined("make_node", type(self), self.__class__.__name__)
        if len(inputs) != len(itypes):
            raise ValueError(f"{self} takes {len(itypes)} inputs, got {len(inputs)}")
        for i, (given, wanted) in enumerate(zip(inputs, itypes, strict=True)):
            if given.type != wanted:
                raise TypeError(f"{self} takes {wanted} as input {i}, got {given} of {given.type}")
        return Apply(self, inputs, [otype() for otype in otypes])

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        for x in inputs:
            if isinstance(x, Placeholder):
                return x.applied(self, inputs)
        return_list = kwargs.pop("return_list", False)
        try:
            node = self.make_node(*inputs, **kwargs)
            if testvalue.policy() != "off":
                testvalue.compute(node.op, node)
            outputs = node.outputs
        except Exception as error:
            if kwargs and isinstance(error, TypeError) and "make_node() got an unex" in str(error):
                error.args = (f"{self} takes inputs by position, got {', '.join(kwargs)} by name",)
            shorten(error)
            if isinstance(error, AttributeError) and error.name == "outputs":
                raise TypeError(
                    f"make_node of {self} returns an Apply, got {error.obj!r:.80}; write "
                    "theano.Apply(self, inputs, outputs)"
                ) from None
            raise
        if self.default_output is not None:
            out = outputs[self.default_output]
            return [out] if return_list else out
        if return_list or len(outputs) != 1:
            return list(outputs)
        return outputs[0]

    @property
    def inner_graphs(self) -> Sequence[Any]:
        """The graphs inside the op; see HasInnerGraph."""
        return ()

    def add_tag_trace(self, thing: Any, user_line: int | None = None) -> Any:
        return thing

    # `Any`, so that authors of ops can annotate with their own class of variables
    def grad(self, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
        if type(self).L_op is Op.L_op:
            raise MethodNotDefined("grad", type(self), self.__class__.__name__)
        # users' programs call `grad` on any op that has a gradient
        return self.L_op(inputs, self.make_node(*inputs).outputs, output_grads)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return self.grad(inputs, output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        raise MethodNotDefined("R_op", type(self), self.__class__.__name__)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        raise MethodNotDefined("perform", type(self), self.__class__.__name__)

    def get_params(self, node: Apply) -> Any:
        """Return the parameters of a node, of ``params_type``, read from attributes of the op."""
        collect = getattr(self.params_type, "get_params", None)
        if collect is None:
            raise MethodNotDefined("get_params", type(self), self.__class__.__name__)
        return collect(self)

    @classmethod
    def _get_test_value(cls, v: Any) -> Any:
        # programs that extend Theano call this name to get test values
        return testvalue.get_test_value(v)

    def do_constant_folding(self, node: Apply) -> bool:
        return True

    def __str__(self) -> str:
        name = getattr(self, "name", None)
        return str(name) if name else type(self).__name__


@documented_in("theano.gof.op")
class Op(PureOp, CLinkerOp):
    """An operation: builds nodes and defines how they are computed.

    An op defines ``make_node`` (or ``itypes`` and ``otypes``) and one of

    ``compute(xp, *inputs)``
        a function of an array namespace: runs on NumPy and compiles for XLA;
    ``perform(node, inputs, output_storage)``
        a Python function on values: runs on the host; with a ``params_type``, the result of
        ``get_params`` is a fourth argument;
    ``make_thunk(node, storage_map, compute_map, no_recycling)``
        full control, on the host.

    Optional: ``__props__`` (defines equality, hash and printed form), ``grad`` or ``L_op``,
    ``R_op``, ``connection_pattern(node)``, ``infer_shape(node, shapes)``, ``view_map``,
    ``destroy_map``, ``default_output``, ``flops``, ``do_constant_folding``.

    Three of these methods can be generated from a class attribute:

    ``linear_in``
        the inputs in which the op is linear, jointly: ``R_op`` applies the op to their tangents;
    ``nondiff_inputs``
        the inputs without a gradient (shapes, indices, axes): defines ``connection_pattern``;
    ``shape_like``
        the input whose shape the outputs have, or one input per output: defines ``infer_shape``.

    The first two are positions or a slice of positions.

    ``batch_rule(node, inputs, is_batched)`` is the batching rule for ``vectorize``. Input ``i``
    has a leading batch dimension if ``is_batched[i]``. The rule returns the outputs; an output
    without a leading batch dimension is the same for the whole batch. If the rule returns None,
    the outputs are computed element by element.

    For the compiled engine (see docs/internals): ``runs_on``, ``demands``, ``demand_only``,
    ``lower_xla``, ``validate``, ``checks`` and ``compiles``.

    Details that one engine, printer or file format needs about an op, for speed or display, are
    rows of its own table: see ``theano.extend``.

    >>> import theano, theano.tensor as T
    >>> class Double(theano.Op):
    ...     __props__ = ()
    ...     def make_node(self, x):
    ...         x = T.as_tensor_variable(x)
    ...         return theano.Apply(self, [x], [x.type()])
    ...     def compute(self, xp, x):
    ...         return x * 2
    >>> x = T.dvector()
    >>> theano.function([x], Double()(x))([1, 2]).tolist()
    [2.0, 4.0]
    """

    if TYPE_CHECKING:
        __props__: ClassVar[tuple[str, ...]]

        def _props(self) -> tuple[Any, ...]: ...

    runs_on: ClassVar[Literal["any", "host"]] = "any"
    linear_in: ClassVar[Positions | None] = None
    nondiff_inputs: ClassVar[Positions | None] = None
    shape_like: ClassVar[int | Sequence[int] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # the gradient of the class itself wins, whichever method its bases define
        if "grad" in cls.__dict__ and "L_op" not in cls.__dict__:
            cls.L_op = PureOp.L_op  # type: ignore[method-assign]
        for fact, (name, method) in BY_FACT.items():
            if fact in cls.__dict__ and name not in cls.__dict__:
                setattr(cls, name, method)
        # a class that defines __props__ gets equality, hash and printed form from it
        if "__props__" in cls.__dict__:
            for name, method in BY_PROPS.items():
                # Python sets __hash__ to None in a class that defines only __eq__
                if cls.__dict__.get(name) is None:
                    setattr(cls, name, method)

    def compute(self, xp: ArrayNamespace, *inputs: Any) -> Any:
        # the op defines neither method: the error names the documented one
        raise MethodNotDefined("perform", type(self), self.__class__.__name__)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Any) -> Any:
        return self.compute(xp, *inputs)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return ()

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        """Raise for inputs that NumPy would accept; called with host values before ``compute``."""

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return ()

    def compiles(self, node: Apply) -> bool:
        """Whether a node can be part of a compiled program; may differ between nodes of an op."""
        return self.runs_on != "host"

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Variable] | None:
        return None

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        if getattr(self.compute, "__func__", None) is Op.compute and type(self).bind is Op.bind:
            raise MethodNotDefined("perform", type(self), self.__class__.__name__)
        result = self.bind(node)(*inputs)
        if len(output_storage) == 1:
            result = (result,)
        for out, cell, value in zip(node.outputs, output_storage, result, strict=True):
            cell[0] = out.type.filter(value, strict=False, allow_downcast=True)

    def bind(self, node: Apply) -> Callable[..., Any]:
        """Return one callable that runs ``validate`` and ``compute`` of a node on host values."""
        compute = self.compute
        if type(self).validate is Op.validate:
            return lambda *inputs: compute(numpy_xp, *inputs)
        validate = self.validate

        def run(*inputs: Any) -> Any:
            validate(node, inputs)
            return compute(numpy_xp, *inputs)

        return run

    def bind_xla(self, node: Apply) -> Callable[..., Any]:
        """Return ``lower_xla`` for a node of this op: a function of xp, sizes and inputs."""
        return self.lower_xla

    def prepare_node(self, node: Apply, storage_map: Any, compute_map: Any, impl: Any) -> None:
        """Called once per node before its thunk is built."""

    def make_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]],
        no_recycling: Any,
        impl: str | None = None,
    ) -> Callable[[], Any]:
        run = in_c(node, impl)
        if run is None:
            return self.make_py_thunk(node, storage_map, compute_map, no_recycling)
        return self._thunk_in_c(node, run, storage_map, compute_map)

    def make_c_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]],
        no_recycling: Any,
    ) -> Callable[[], Any]:
        run = in_c(node, "c")
        if run is None:
            raise MethodNotDefined("c_code", type(self), self.__class__.__name__)
        return self._thunk_in_c(node, run, storage_map, compute_map)

    def _thunk_in_c(
        self,
        node: Apply,
        run: Callable[..., Any],
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]],
    ) -> Callable[[], Any]:
        inputs = [storage_map[v] for v in node.inputs]
        outputs = [storage_map[v] for v in node.outputs]
        done = [compute_map[v] for v in node.outputs] if compute_map is not None else []

        def thunk() -> None:
            result = run(*[cell[0] for cell in inputs], *[cell[0] for cell in outputs])
            for cell, value in zip(
                outputs, (result,) if len(outputs) == 1 else result, strict=True
            ):
                cell[0] = value
            for flag in done:
                flag[0] = True

        return _as_thunk(thunk, inputs, outputs)

    def make_py_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]],
        no_recycling: Any,
        debug: bool = False,
    ) -> Callable[[], Any]:
        inputs = [storage_map[v] for v in node.inputs]
        outputs = [storage_map[v] for v in node.outputs]
        done = [compute_map[v] for v in node.outputs] if compute_map is not None else []
        perform = perform_of(self)

        def thunk() -> None:
            perform(node, [cell[0] for cell in inputs], outputs)
            for flag in done:
                flag[0] = True

        thunk.perform = perform  # type: ignore[attr-defined]
        return _as_thunk(thunk, inputs, outputs)


def _as_thunk(thunk: Any, inputs: list[Any], outputs: list[Any]) -> Callable[[], Any]:
    thunk.inputs, thunk.outputs, thunk.lazy = inputs, outputs, False
    function: Callable[[], Any] = thunk
    return function


class HasInnerGraph(Op):
    """An op with inner graphs; it runs, lowers and checks their nodes."""

    #: the name that debugprint uses for the inner graphs of this class
    inner_graphs_of: ClassVar[str | None] = None

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        """Return the inner outputs, and the outer variable of each inner input, for printing."""
        raise NotImplementedError(f"{type(self).__name__}.inner_graph")

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Any
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the outputs in terms of ``xp``, and the flags of all inner checks."""
        raise NotImplementedError(f"{type(self).__name__}.lower_checked")

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Any) -> Any:
        result, _ = self.lower_checked(xp, sizes, *inputs)
        return result[0] if len(result) == 1 else tuple(result)

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> Op:
        """Return this op with each inner graph replaced by ``rewrite(inputs, outputs)``."""
        raise NotImplementedError(f"{type(self).__name__}.rewritten")


def meaning_of(op: Any) -> Literal["compute", "perform", "thunk", "c_code"]:
    """Return which method of an op runs: the one that the instance or the nearest class defines.

    A class that overrides ``perform`` of a base with ``compute`` runs its ``perform``. C code runs
    if ``gives_c_code``, unless the op defines ``make_thunk``.
    """
    meaning = _meaning_in_python(op)
    return "c_code" if meaning != "thunk" and gives_c_code(op) else meaning


def _meaning_in_python(op: Any) -> Literal["compute", "perform", "thunk"]:
    own = getattr(op, "__dict__", {})
    for name in ("make_thunk", "perform", "compute"):
        if name in own:
            return "thunk" if name == "make_thunk" else name  # type: ignore[return-value]
    for cls in type(op).__mro__:
        if cls is Op or cls is PureOp:
            break
        if "make_thunk" in cls.__dict__:
            return "thunk"
        if "compute" in cls.__dict__:
            return "compute"
        if "perform" in cls.__dict__:
            return "perform"
    return "perform"


def perform_of(op: Any) -> Callable[[Apply, list[Any], list[list[Any]]], None]:
    """Return the ``perform`` of an op; a ``compute`` of a derived class overrides it."""
    for cls in type(op).__mro__ if "perform" not in getattr(op, "__dict__", {}) else ():
        if "perform" in cls.__dict__:
            break
        if "compute" in cls.__dict__:
            return partial(Op.perform, op)
    function: Callable[..., None] = op.perform
    if getattr(op, "params_type", None) is None or getattr(type(op), "perform", 0) is Op.perform:
        return function
    params: dict[Apply, Any] = {}  # computed once: they are the same for every call

    def with_params(node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        if node not in params:
            params[node] = node.run_params()
        function(node, inputs, output_storage, params[node])

    return with_params
