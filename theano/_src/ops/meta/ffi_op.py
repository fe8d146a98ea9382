"""FFIOp: an op defined by the body of a C function, for NumPy and inside XLA programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.walk import nodes_of, roots_of
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.ground.tracebacks import warn_user
from theano._src.ground.utils import MethodNotDefined
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core.scalar_c import in_programs, why_no_compiler
from theano._src.ops.shape.static_values import as_length
from theano._src.types.convert import as_tensor_variable
from theano._src.types.run_node import run_node
from theano._src.types.tensor import TensorType, tensor_type

_kernel = at_first_use("theano._src.c_code.kernel:Kernel")
_options_of = at_first_use("theano._src.c_code.kernel:options_of")
_asked_list = at_first_use("theano._src.c_code.asking:asked_list")
_asked_text = at_first_use("theano._src.c_code.asking:asked_text")
_MissingGXX = at_first_use("theano._src.c_code.compiler:MissingGXX")
_text = at_first_use("theano._src.c_code.kernel_text:kernel_text")
_array = at_first_use("theano._src.c_code.kernel_text:Array")
_can_fail = at_first_use("theano._src.c_code.kernel_text:can_fail")
_xla_headers = at_first_use("theano._src.c_code.kernel_text:xla_headers")

_NAME = re.compile(r"[A-Za-z]\w*")


@documented_in("theano.extend")
class FFIOp(Op):
    """An op that is written in C and runs inside compiled programs.

    A subclass defines the types of inputs and outputs (``itypes`` and ``otypes``, or
    ``make_node``), the shapes of the outputs (``shape_like`` or ``infer_shape``), and the body of
    a C function:

    ``c_kernel``
        the text of the body, or a method that takes the node and returns it. For an array named
        ``x``, ``x`` is a pointer to its elements in C order; ``x_shape[i]``, ``x_ndim``,
        ``x_size`` and the type ``dtype_x`` are defined too. Outputs are allocated before; the
        body must write all of their elements. ``FAIL("negative length %d", n)`` ends it with an
        exception.
    ``inames``, ``onames``
        the names of inputs and outputs in C; by default ``i0``, ``i1``, ..., ``o0``, ...
    ``c_error``
        the exception that ``FAIL`` raises; ``ValueError`` by default.
    ``c_headers``, ``c_header_dirs``, ``c_libraries``, ``c_lib_dirs``
        as documented for C code; a value, or a method that returns it.
    ``c_compile_args``, ``c_no_compile_args``, ``c_support_code``
        likewise.
    ``__props__``
        props that are numbers, strings or tuples of numbers are constants in C, by their names.
    ``perform``
        runs if there is no compiler.

    ``grad`` or ``L_op``, ``R_op`` and all other methods are as for other ops. The library is
    compiled at the first call and stored in the compile directory; it serves all shapes.

    >>> import theano, theano.tensor as T
    >>> from theano.extend import FFIOp
    >>> class RunningSum(FFIOp):
    ...     __props__ = ()
    ...     itypes, otypes = [T.dvector], [T.dvector]
    ...     inames, onames = ["x"], ["z"]
    ...     shape_like = 0
    ...     c_kernel = '''
    ...         double total = 0;
    ...         for (int64_t i = 0; i < x_size; i++)
    ...             z[i] = total += x[i];
    ...     '''
    >>> x = T.dvector()
    >>> theano.function([x], RunningSum()(x) + 1)([1, 2, 3]).tolist()
    [2.0, 4.0, 7.0]
    """

    #: the text of the body, or a method that takes the node
    c_kernel: Any = None
    inames: ClassVar[Sequence[str] | None] = None
    onames: ClassVar[Sequence[str] | None] = None
    c_error: ClassVar[type[Exception]] = ValueError

    _prepared: WeakKeyDictionary[Apply, _Prepared] | None = None
    #: by their text: nodes of the same types share one
    _kernels: dict[str, Any]
    _by_perform: Callable[..., None] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "perform" in cls.__dict__:
            # the kernel defines the op on both engines; perform is only the fallback
            cls._by_perform = cls.__dict__["perform"]
            del cls.perform

    def make_node(self, *inputs: Any) -> Apply:
        return super().make_node(*map(as_tensor_variable, inputs))

    # execution

    def compute(self, xp: ArrayNamespace, *inputs: Any) -> Any:
        kinds = [tensor_type(np.dtype(x.dtype).name, (False,) * x.ndim) for x in inputs]
        node = self.make_node(*[kind() for kind in kinds])
        result, _ = self._prepare(node).call(xp, None, inputs)
        return result[0] if len(result) == 1 else tuple(result)

    def bind(self, node: Apply) -> Callable[..., Any]:
        prepared = self._prepare(node)
        if (why := why_no_compiler()) is not None:
            return self._without_compiler(node, why)

        def run(*inputs: Any) -> Any:
            self.validate(node, inputs)
            result, _ = prepared.call(numpy_xp, None, inputs)
            return result[0] if len(result) == 1 else tuple(result)

        return run

    def _without_compiler(self, node: Apply, why: str) -> Callable[..., Any]:
        perform = self._by_perform
        if perform is None:
            raise _MissingGXX()(
                f"{self} is written in C, and there is no compiler: {why}. Install g++ or clang++ "
                "and set the flag cxx to its name, or give the op a perform"
            )
        if type(self) not in _warned:
            _warned.add(type(self))
            warn_user(f"{self} runs by its perform: there is no compiler for its C code ({why})")

        def run(*inputs: Any) -> Any:
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            perform(node, list(inputs), cells)
            results = [cell[0] for cell in cells]
            return results[0] if len(results) == 1 else tuple(results)

        return run

    def compiles(self, node: Apply) -> bool:
        # without XLA's headers the library has no handler
        return self.runs_on != "host" and not why_no_compiler() and in_programs()

    def bind_xla(self, node: Apply) -> Callable[..., Any]:
        prepared = self._prepare(node)
        return lambda xp, sizes, *inputs: prepared.call(xp, sizes or None, inputs)

    @property
    def can_fail(self) -> bool:
        """Whether the kernel may return an error."""
        body = self.c_kernel
        return not isinstance(body, str) or _can_fail()(
            body + _asked_text()(self, "c_support_code")
        )

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self._prepare(node).lengths.demanded(node, shapes)

    def _prepare(self, node: Apply) -> _Prepared:
        if self._prepared is None:
            self._prepared, self._kernels = WeakKeyDictionary(), {}
        result = self._prepared.get(node)
        if result is None:
            # the cached value must not keep the node alive
            own_inputs = [v if isinstance(v, Constant) else v.type() for v in node.inputs]
            result = _Prepared(self, node.clone_with_new_inputs(own_inputs), self._kernels)
            self._prepared[node] = result
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {k: x for k, x in self.__dict__.items() if k not in ("_prepared", "_kernels")}


#: classes that have been warned about running by perform
_warned: set[type] = set()


class _Prepared:
    """The kernel of a node and the lengths of its outputs, computed once."""

    def __init__(self, op: FFIOp, node: Apply, kernels: dict[str, Any]) -> None:
        self.dtypes = [v.type.numpy_dtype for v in node.outputs]
        self.lengths = _Lengths(op, node)
        kernel = kernel_of(op, node)
        self.kernel = kernels.setdefault(kernel.text, kernel)

    def call(
        self, xp: ArrayNamespace, sizes: Sequence[int] | None, inputs: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Return the outputs as arrays of ``xp``, and the flags for errors."""
        shapes = self.lengths.shapes(inputs, sizes)
        wanted = list(zip(shapes, self.dtypes, strict=True))
        result, flags = xp.call_kernel(self.kernel, inputs, wanted)
        return list(result), list(flags)


class _Lengths:
    """The lengths of the outputs of a node, as its op infers them from its inputs."""

    def __init__(self, op: FFIOp, node: Apply) -> None:
        self.op, self.inputs = op, list(node.inputs)
        self.free = [
            tuple(tensor_type("int64", ())() for _ in range(v.type.ndim)) for v in node.inputs
        ]
        with source_line.paused():
            shapes = self._inferred(op, node)
            self.lengths = [as_length(n) for shape in shapes for n in shape]
        self.ranks = [v.type.ndim for v in node.outputs]
        self.roots = [v for lengths in self.free for v in lengths]
        self.order = nodes_of(self.lengths, [*self.roots, *self.inputs])
        # lengths that depend on values must be known before a program is traced
        used = set(roots_of(self.lengths))
        self.by_values = any(v in used for v in self.inputs if not isinstance(v, Constant))

    def _inferred(self, op: FFIOp, node: Apply) -> list[Any]:
        infer = getattr(op, "infer_shape", None)
        if infer is None:
            if all(v.type.ndim == 0 for v in node.outputs):
                return [() for _ in node.outputs]
            raise MethodNotDefined(
                f"{op} has no infer_shape: memory for its outputs is made before its kernel runs; "
                "give it infer_shape(node, shapes), or shape_like"
            )
        results = list(infer(node, self.free))
        for v, shape in zip(node.outputs, results, strict=True):
            if shape is None or len(shape) != v.type.ndim:
                raise ValueError(
                    f"infer_shape of {op} gives {v.type.ndim} lengths for an output of {v.type}, "
                    f"got {shape}"
                )
        return results

    def demanded(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        """Return the lengths as expressions if they depend on values; otherwise nothing."""
        if not self.by_values:
            return ()
        return [n for shape in node.op.infer_shape(node, shapes) for n in shape]

    def shapes(self, inputs: Sequence[Any], sizes: Sequence[int] | None) -> list[tuple[int, ...]]:
        """Return the shapes of the outputs; ``sizes`` are the values of ``demanded``."""
        if sizes is None:
            known: dict[Variable, Any] = dict(zip(self.inputs, inputs, strict=True))
            lengths = [np.asarray(n, "int64") for x in inputs for n in x.shape]
            known.update(zip(self.roots, lengths, strict=True))
            for node in self.order:
                result = run_node(node, [_value(v, known) for v in node.inputs])
                known.update(zip(node.outputs, result, strict=True))
            sizes = [int(_value(v, known)) for v in self.lengths]
        if any(n < 0 for n in sizes):
            raise ValueError(
                f"infer_shape of {self.op} gives the lengths {list(sizes)} for inputs of shapes "
                f"{[tuple(x.shape) for x in inputs]}; a length cannot be negative"
            )
        rest = iter(sizes)
        return [tuple(next(rest) for _ in range(rank)) for rank in self.ranks]


def _value(v: Variable, values: dict[Variable, Any]) -> Any:
    return v.data if isinstance(v, Constant) else values[v]


def kernel_of(op: FFIOp, node: Apply) -> Any:
    """Return the kernel of a node, not yet compiled."""
    body = op.c_kernel(node) if callable(op.c_kernel) else op.c_kernel
    if not isinstance(body, str):
        raise TypeError(
            f"{op} takes C code as c_kernel, text or a method that returns it, got {body!r:.80}"
        )
    constants = dict(zip(getattr(op, "__props__", ()), getattr(op, "_props", tuple)(), strict=True))
    ins = _arrays(op, "inames", "i", node.inputs, constants)
    outs = _arrays(op, "onames", "o", node.outputs, constants)
    support = _asked_text()(op, "c_support_code")
    headers = _xla_headers()()
    text = _text()(
        body, ins, outs, constants, _asked_list()(op, "c_headers"), support, xla=headers is not None
    )
    options = _options_of()([op], [headers] if headers else [])
    return _kernel()(str(op), text, options, _can_fail()(body + support), op.c_error)


def _arrays(
    op: FFIOp, which: str, letter: str, variables: Sequence[Variable], taken: dict[str, Any]
) -> list[Any]:
    """Return the C arrays of a node, each with its number of dimensions."""
    names = getattr(op, which)
    if names is None:
        names = [f"{letter}{k}" for k in range(len(variables))]
    if len(names) != len(variables):
        raise ValueError(f"{which} of {op} gives {len(variables)} names, got {list(names)}")
    for name in names:
        if not _NAME.fullmatch(name) or name in taken:
            why = "a prop has that name" if name in taken else "it is not a name in C"
            raise ValueError(f"{which} of {op}: {name!r} cannot be used, {why}")
    for v in variables:
        if not isinstance(v.type, TensorType):
            raise TypeError(f"{op} takes and gives tensors, got {v} of {v.type}")
    return [
        (_array()(name, v.type.dtype), v.type.ndim)
        for name, v in zip(names, variables, strict=True)
    ]
