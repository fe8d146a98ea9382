"""C code of scalar ops as loops over arrays: kernels that run on NumPy and inside XLA."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.lazy import at_first_use
from theano._src.ground.utils import MethodNotDefined
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.scalar import get_scalar_type

_kernel = at_first_use("theano._src.c_code.kernel:Kernel")
_options_of = at_first_use("theano._src.c_code.kernel:options_of")
_asked_list = at_first_use("theano._src.c_code.asking:asked_list")
_asked_text = at_first_use("theano._src.c_code.asking:asked_text")
_why_no_compiler = at_first_use("theano._src.c_code.compiler:why_no_compiler")
_array = at_first_use("theano._src.c_code.kernel_text:Array")
_C_TYPES = at_first_use("theano._src.c_code.kernel_text:C_TYPES")
_loop_text = at_first_use("theano._src.c_code.loop_text:loop_text")
_xla_headers = at_first_use("theano._src.c_code.kernel_text:xla_headers")

_FAIL = "THEANO_FAIL"
_OF_PYTHON = re.compile(r"\bPy[A-Z]\w*|\bPyObject\b|Python\.h")


def why_no_compiler() -> str | None:
    """Return why C code cannot be compiled, or None; cached for each value of ``config.cxx``."""
    return _no_compiler(config.cxx)


@cache
def _no_compiler(cxx: str) -> str | None:
    text: str | None = _why_no_compiler()()
    return text


def in_programs() -> bool:
    """Whether kernels can be part of XLA programs, that is, its headers are installed."""
    return _xla_headers()() is not None


def why_not(op: Any, dtypes: Sequence[str]) -> str | None:
    """Return why the C code of a scalar op cannot run on arrays of these dtypes, or None."""
    why = why_no_compiler()
    return _Code.why_not(op, tuple(dtypes)) if why is None else why


class _Code:
    """The C code of a scalar op for inputs of some dtypes."""

    def __init__(self, op: Any, dtypes: tuple[str, ...]) -> None:
        node = op.make_node(*[get_scalar_type(d)() for d in dtypes])
        self.outs = [v.type.dtype for v in node.outputs]
        for dtype in (*dtypes, *self.outs):
            if dtype not in _C_TYPES():
                raise NotImplementedError(f"C code over arrays takes no {dtype}")
        self.ins = [_array()(f"theano_x{k}", d) for k, d in enumerate(dtypes)]
        self.out_arrays = [_array()(f"theano_z{k}", d) for k, d in enumerate(self.outs)]
        names = [a.name for a in self.ins], [a.name for a in self.out_arrays]
        sub = {"fail": _FAIL}
        code = op.c_code(node, "theano_node", *names, sub)
        self.code = code + _asked_text()(op, "c_code_cleanup", node, "theano_node", *names, sub)
        self.op = op
        support = [
            _asked_text()(op, "c_support_code"),
            _asked_text()(op, "c_support_code_apply", node, "theano_node"),
        ]
        self.support = "\n".join(support)
        self.headers = list(_asked_list()(op, "c_headers"))
        whole = "\n".join([self.code, self.support, *self.headers])
        if _FAIL in whole or _OF_PYTHON.search(whole):
            raise NotImplementedError(
                "its C code uses Python's own functions, which need the interpreter's lock"
            )

    @staticmethod
    def why_not(op: Any, dtypes: tuple[str, ...]) -> str | None:
        result = _code(op, dtypes)
        return result if isinstance(result, str) else None

    def kernel(self, who: str, numbers: tuple[bool, ...]) -> Any:
        headers = _xla_headers()()
        text = _loop_text()(
            self.code,
            self.ins,
            self.out_arrays,
            numbers,
            self.headers,
            self.support,
            xla=headers is not None,
        )
        # these do not change results, and allow vectorization
        args = ["-fno-trapping-math", "-fwrapv"]
        options = _options_of()([self.op], [headers] if headers else [], args)
        return _kernel()(who, text, options, can_fail=False, elementwise=True)


def _code(op: Any, dtypes: tuple[str, ...]) -> _Code | str:
    """Return the C code of an op for these dtypes, or why there is none."""
    # cached on the op, for its lifetime
    known = op._known_plans()
    key = ("c", dtypes, config.cast_policy, config.floatX)
    if key not in known:
        try:
            known[key] = _Code(op, dtypes)
        except (NotImplementedError, MethodNotDefined) as e:
            known[key] = str(e) or f"{op} has no C code for {', '.join(dtypes)}"
    result: _Code | str = known[key]
    return result


def _kernel_of(op: Any, dtypes: tuple[str, ...], numbers: tuple[bool, ...]) -> tuple[Any, _Code]:
    code = _code(op, dtypes)
    assert isinstance(code, _Code)
    known = op._known_plans()
    key = ("kernel", dtypes, numbers, config.cast_policy, config.floatX)
    if key not in known:
        known[key] = code.kernel(str(op), numbers)
    return known[key], code


def run_over(op: Any, xp: ArrayNamespace, inputs: Sequence[Any]) -> Any:
    """Run the C code of a scalar op on arrays of ``xp`` and return the outputs."""
    rank = max([x.ndim for x in inputs], default=0)
    # XLA may add a leading dimension to some of them
    ins = [x if x.ndim == rank else xp.reshape(x, (1,) * (rank - x.ndim) + x.shape) for x in inputs]
    shape = np.broadcast_shapes(*[x.shape for x in ins])
    kernel, code = _kernel_of(op, tuple(np.dtype(x.dtype).name for x in ins), _alone(ins, shape))
    result, _ = xp.call_kernel(kernel, ins, [(shape, NUMPY_DTYPES[d]) for d in code.outs])
    return result[0] if len(result) == 1 else tuple(result)


def _alone(inputs: Sequence[Any], shape: tuple[int, ...]) -> tuple[bool, ...]:
    """Which inputs are a single number while the output has more elements."""
    if len(inputs) == 1:
        return (False,)
    size = math.prod(shape)
    return tuple([x.size == 1 != size for x in inputs])


class Loop:
    """C code of a scalar op as a function of NumPy arrays of given dtypes: ``f(*arrays, out)``."""

    def __init__(self, op: Any, dtypes: Sequence[str]) -> None:
        self.op, self.dtypes = op, tuple(dtypes)
        self._kernels: dict[tuple[bool, ...], tuple[Any, list[Any]]] = {}

    def __call__(self, *inputs: np.ndarray, out: np.ndarray | None = None) -> Any:
        first = inputs[0].shape
        shape = first
        if any(x.shape != first for x in inputs):
            shape = np.broadcast_shapes(*[x.shape for x in inputs])
        kernel, outs = self._kernel(_alone(inputs, shape))
        if out is not None and _is_free(out, inputs):
            kernel.run(inputs, [out])
            return out
        results = [np.empty(shape, d) for d in outs]
        kernel.run(inputs, results)
        if out is not None:
            out[...] = results[0]
            return out
        return results[0] if len(results) == 1 else tuple(results)

    def _kernel(self, numbers: tuple[bool, ...]) -> tuple[Any, list[Any]]:
        result = self._kernels.get(numbers)
        if result is None:
            kernel, code = _kernel_of(self.op, self.dtypes, numbers)
            result = self._kernels[numbers] = kernel, [NUMPY_DTYPES[d] for d in code.outs]
        return result


def _is_free(out: np.ndarray, inputs: Sequence[np.ndarray]) -> bool:
    """Whether a loop may write to ``out`` while it reads the inputs, element by element."""
    if not out.flags.c_contiguous:
        return False
    return all(x is out or not np.may_share_memory(x, out) for x in inputs)
