"""Shared variables that have one container: in a function they are one input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Variable
from theano._src.types.shared import SharedVariable


class Clones:
    """Finds variables that share a container: two inputs of one memory would overwrite each other.

    ``replace`` has the variable that stands for each of the others.
    """

    def __init__(self) -> None:
        self._first: dict[Any, SharedVariable] = {}
        self.replace: dict[Variable, Variable] = {}

    def one_of(self, v: SharedVariable) -> SharedVariable:
        """The variable that stands for all those with the container of ``v``."""
        one = self._first.setdefault((id(v.container.storage), v.type), v)
        if one is not v:
            self.replace[v] = one
        return one

    def targets(self, updated: Iterable[SharedVariable]) -> dict[SharedVariable, None]:
        """Variables that are updated: of one container there may be one."""
        found: dict[SharedVariable, None] = {}
        for v in updated:
            if self.one_of(v) in found:
                raise ValueError(f"this shared variable already has an update expression: {v}")
            found[v] = None
        return found

    def put_in(
        self, params: Sequence[Any], outs: Sequence[Any], new: dict[SharedVariable, Variable]
    ) -> dict[SharedVariable, Variable]:
        """Have the graphs of inputs and outputs, and the new values, read one variable each."""
        memo: dict[Variable, Variable] = {spec.variable: spec.variable for spec in params}
        for out in outs:
            (out.variable,) = rebuild([out.variable], self.replace, memo=memo)
        for spec in params:
            if spec.update is not None:
                (spec.update,) = rebuild([spec.update], self.replace, memo=memo)
        return dict(zip(new, rebuild(list(new.values()), self.replace, memo=memo), strict=True))
