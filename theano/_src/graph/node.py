"""Apply: one use of an op on inputs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from theano._src.graph import trace as _trace
from theano._src.graph.variable import Tagged, Variable
from theano._src.ground.documented import documented_in

#: what a node without parameters gives for them
NoParams = object()


@documented_in("theano.gof.graph")
class Apply(Tagged):
    """An op applied to input variables, giving output variables.

    Making one sets ``owner`` and ``index`` on each output and remembers the user's line.

    >>> import theano
    >>> x = theano.tensor.dscalar("x")
    >>> node = (x + 1).owner
    >>> node.inputs[0] is x, node.outputs[0].owner is node
    (True, True)
    """

    __slots__ = ("__dict__", "__weakref__", "fgraph", "inputs", "op", "outputs", "trace")

    def __init__(self, op: Any, inputs: Iterable[Variable], outputs: Iterable[Variable]) -> None:
        self.op = op
        self.inputs: list[Variable] = list(inputs)
        self.outputs: list[Variable] = list(outputs)
        self._tag = None
        self.fgraph: Any = None
        for value in self.inputs:
            if not isinstance(value, Variable):
                raise TypeError(
                    f"Apply of {op} takes Variables as inputs, got {value!r} of type "
                    f"{type(value).__name__}; wrap numbers and arrays with as_tensor_variable"
                )
        for i, out in enumerate(self.outputs):
            if not isinstance(out, Variable):
                raise TypeError(f"Apply of {op} takes Variables as outputs, got {out!r}")
            if out.owner is None:
                out.owner = self
                out.index = i
            elif out.owner is not self or out.index != i:
                raise ValueError(
                    f"output {i} of {op} already belongs to another Apply: {out.owner}"
                )
        self.trace = _trace.capture(3)

    def _own_trace(self) -> _trace.Trace | None:
        return self.trace

    @property
    def nin(self) -> int:
        return len(self.inputs)

    @property
    def nout(self) -> int:
        return len(self.outputs)

    @property
    def out(self) -> Variable:
        return self.default_output()

    def default_output(self) -> Variable:
        """The output that a call of the op gives when it gives one."""
        which: int | None = getattr(self.op, "default_output", None)
        if which is None:
            if len(self.outputs) == 1:
                return self.outputs[0]
            raise AttributeError(f"{self.op} has {len(self.outputs)} outputs and no default_output")
        if not isinstance(which, int) or not 0 <= which < len(self.outputs):
            raise AttributeError(
                f"default_output takes the number of an output, got {which!r} for {self.op}, "
                f"which has {len(self.outputs)}"
            )
        return self.outputs[which]

    @property
    def params_type(self) -> Any:
        """The Type of the op's parameters; None if it has none."""
        return getattr(self.op, "params_type", None)

    def run_params(self) -> Any:
        """The parameters that the op's ``perform`` gets, or NoParams."""
        if self.params_type is None:
            return NoParams
        return self.params_type.filter(self.op.get_params(self))

    def clone(self) -> Apply:
        """The same op on the same inputs, with new outputs."""
        return self._with(self.inputs)

    def _with(self, inputs: Sequence[Variable]) -> Apply:
        cp = self.__class__(self.op, inputs, [out.clone() for out in self.outputs])
        cp.trace = self.trace
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def clone_with_new_inputs(self, inputs: Sequence[Variable], strict: bool = True) -> Apply:
        """This op on other inputs; types that differ make the op build its node anew.

        With ``strict`` an input of another type is converted, or refused with TypeError.
        """
        inputs = list(inputs)
        rebuild = False
        for i, (old, new) in enumerate(zip(self.inputs, inputs, strict=True)):
            if old.type == new.type:
                continue
            if strict:
                inputs[i] = old.type.filter_variable(new)
            else:
                rebuild = True
        if not rebuild:
            return self._with(inputs)
        node = self.op.make_node(*inputs)
        node.trace = self.trace
        for old, new in zip(self.outputs, node.outputs, strict=True):
            new.name = old.name
            if old._tag is not None:
                new._tag = copy.copy(old._tag)
        assert isinstance(node, Apply)
        return node

    def get_parents(self) -> list[Variable]:
        return list(self.inputs)

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    def __repr__(self) -> str:
        return str(self)

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        # code objects cannot be pickled: a loaded node shows the lines as text, if it was tagged
        slots = {
            "op": self.op,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "_tag": self.tag if self.trace else self._tag,
            "fgraph": None,
            "trace": None,
        }
        return (self.__dict__ or None, slots)
