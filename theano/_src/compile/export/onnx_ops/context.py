"""Apply the table to a graph: translate each node to operators, or collect why it cannot be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.compile.export.onnx_ops.writer import NoForm, Value, Writer
from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.lazy import at_first_use
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType

_helper = at_first_use("onnx:helper")

#: ``form(to, node, *inputs)`` returns the value or values of a node
Form: TypeAlias = Callable[..., Any]


class Export:
    """The context that forms use: the values of variables, and the writer.

    Parameters
    ----------
    forms : callable
        Returns the form of an op, or None.
    dtypes : dict
        The dtypes that are replaced, and their replacements.
    """

    def __init__(self, forms: Callable[[Op], Form | None], dtypes: Mapping[str, str]) -> None:
        self.to = Writer()
        self.forms = forms
        self._dtypes = dtypes
        self._values: dict[Variable, Value] = {}
        #: the number of nodes and outputs that read a variable
        self.uses: Counter[Variable] = Counter()
        #: nodes without a form, and why
        self.refused: list[tuple[Apply, str]] = []

    def dtype(self, v: Variable) -> np.dtype[Any]:
        """Return the dtype of a variable in the model."""
        return self.written(v.type.dtype)

    def written(self, dtype: Any) -> np.dtype[Any]:
        """Return the dtype that replaces a dtype in the model."""
        name: str = np.dtype(dtype).name
        return np.dtype(self._dtypes.get(name, name))

    # values

    def set(self, v: Variable, value: Value) -> None:
        self._values[v] = value

    def value(self, v: Variable) -> Value:
        """Return the value of a computed variable or a constant."""
        result = self._values.get(v)
        if result is not None:
            return result
        if not isinstance(v, Constant):
            raise NoForm(f"it reads {v}, which is no input of the function")
        return self.to.constant(np.asarray(v.data, self.dtype(v)), name=v.name or "")

    def numbers_of(self, v: Variable) -> np.ndarray[Any, Any] | None:
        """Return the data of a variable that is written as a constant; None for others."""
        result = self._values.get(v)
        if result is not None:
            data: np.ndarray[Any, Any] | None = result.data
            return data
        return np.asarray(v.data) if isinstance(v, Constant) else None

    def int_of(self, v: Variable, what: str) -> int:
        """Return a scalar constant as an int; raise NoForm for other variables."""
        numbers = self.numbers_of(v)
        if numbers is None or numbers.size != 1:
            raise NoForm(f"{what} takes a constant, got {v}")
        return int(numbers.item())

    # nodes

    def run(self, nodes: Sequence[Apply], outputs: Sequence[Variable]) -> list[Value]:
        """Write nodes in order; nodes without a form are appended to ``refused``."""
        before = self.to.doc
        for v in (*outputs, *(v for node in nodes for v in node.inputs)):
            self.uses[v] += 1
        for node in nodes:
            self.to.doc = line_of(node)
            try:
                results = self._operators(node)
            except NoForm as error:
                self.refused.append((node, str(error)))
                results = [self._stand_in(v) for v in node.outputs]
            for v, value in zip(node.outputs, results, strict=True):
                self.set(v, value)
        self.to.doc = before
        return [self.value(v) for v in outputs]

    def _operators(self, node: Apply) -> list[Value]:
        form = self.forms(node.op)
        if form is None:
            raise NoForm("")
        for v in (*node.inputs, *node.outputs):
            if not isinstance(v.type, TensorType | Scalar):
                raise NoForm(f"it takes or gives {v.type}")
            if v.type.dtype.startswith("complex"):
                raise NoForm("operators of ONNX take real numbers")
        result = form(self, node, *[self.value(v) for v in node.inputs])
        outs = [result] if isinstance(result, Value) else list(result)
        return [x.astype(self.dtype(v)) for x, v in zip(outs, node.outputs, strict=True)]

    def _stand_in(self, v: Variable) -> Value:
        dtype = getattr(v.type, "dtype", "float32")
        return Value(self.to, "refused", self._dtypes.get(dtype, dtype))

    # value infos

    def info(self, name: str, v: Variable, lengths: Sequence[Any] | None = None) -> Any:
        """Return the value info of an input or output: name, dtype and dimensions."""
        shape = [None] * v.type.ndim if lengths is None else list(lengths)
        return _helper().make_tensor_value_info(name, self.to.code(self.dtype(v)), shape)

    def number_info(self, name: str, dtype: Any) -> Any:
        """Return the value info of a scalar, with an unused name."""
        return _helper().make_tensor_value_info(self.to.name(name), self.to.code(dtype), [])


def line_of(node: Apply) -> str:
    """The source line that created a node, as ``file:number: text``."""
    result = source_line.lines(node.trace)
    if not result:
        return ""
    file, number, _, text = result[-1]
    name = file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{number}" + (f": {text}" if text else "")
