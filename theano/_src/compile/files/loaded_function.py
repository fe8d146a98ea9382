"""Functions read from files, which are compiled when they are first called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theano._src.compile.function import function
from theano._src.compile.function_copies import held_values
from theano._src.compile.function_object import Function
from theano._src.compile.io import In, Out
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.types.memory import own_copy
from theano._src.types.shared import Container, SharedVariable

#: the attributes of inputs and outputs that files keep
_OF_IN = (
    "variable",
    "name",
    "update",
    "mutable",
    "borrow",
    "strict",
    "allow_downcast",
    "implicit",
    "sharding",
)
_OF_OUT = ("variable", "borrow", "sharding")


@documented_in("theano")
class LoadedFunction:
    """A function read by ``load``; it is compiled when it is first called.

    Attributes
    ----------
    inputs : list of In
    outputs : Out, list of Outs, dict of Outs, or None
    updates : list of pairs
        Shared variables and their update expressions.
    name : str or None
    """

    #: for functions that were pickled before this attribute existed
    _held: Sequence[Any] = ()

    def __init__(
        self,
        inputs: list[In],
        outputs: Any,
        updates: list[tuple[SharedVariable, Variable]],
        name: str | None,
        held: Sequence[Any] = (),
    ) -> None:
        self.inputs, self.outputs, self.updates, self.name = inputs, outputs, updates, name
        self._held = held
        self._compiled: Function | None = None

    def compile(self, mode: Any = None) -> Function:
        """Compile the function again and return it.

        Parameters
        ----------
        mode : Mode or str, optional
            As for ``function``.

        Returns
        -------
        Function

        Examples
        --------
        >>> import os, tempfile, theano, theano.tensor as T
        >>> path = os.path.join(tempfile.mkdtemp(), "f.theano")
        >>> x = T.dscalar("x")
        >>> theano.save(path, theano.function([x], x ** 2))
        >>> theano.load(path).compile(mode="FAST_COMPILE")(3).item()
        9.0
        """
        result = function(
            self.inputs,
            self.outputs,
            mode=mode,
            updates=self.updates,
            no_default_updates=True,
            on_unused_input="ignore",
            name=self.name,
        )
        for i, value in enumerate(self._held):
            if value is not None:
                result.container[i].value = own_copy(value)
        return result

    @property
    def compiled(self) -> Function:
        """The compiled function, which runs the calls."""
        if self._compiled is None:
            self._compiled = self.compile()
        return self._compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.compiled(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self.compiled[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.compiled[key] = value

    def __contains__(self, key: Any) -> bool:
        return key in self.compiled

    def __copy__(self) -> Function:
        function: Function = self.compiled.copy()
        return function

    def __getattr__(self, name: str) -> Any:
        # pickle and copy look these up before __init__ has run
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    def __repr__(self) -> str:
        inputs = ", ".join(str(i.variable) for i in self.inputs)
        return f"<loaded function {self.name or ''}({inputs})>"


def facts_of(f: Function) -> dict[str, Any]:
    """Return the declaration of a function, and the values that it holds."""
    maker = f.maker
    outputs = maker.as_given([_fields(o, _OF_OUT) for o in maker.outputs])
    inputs, held = [], []
    for spec, value in zip(maker.inputs, held_values(f), strict=True):
        if spec.shared:
            continue
        default, now = spec.value, value
        if isinstance(value, Container):
            now = value.value
        if isinstance(default, Container):
            default = default.value
        elif spec.update is not None and default is not None:
            default, now = now, None
        # an input with an update is mutable even if it was not declared mutable
        mutable = True if spec.mutable and spec.borrow else None
        inputs.append({**_fields(spec, _OF_IN), "mutable": mutable, "value": own_copy(default)})
        held.append(own_copy(now))
    facts = {
        "name": f.name,
        "inputs": inputs,
        "outputs": outputs,
        "keys": maker.output_keys,
        "updates": [
            (s.variable, s.update) for s in maker.inputs if s.shared and s.update is not None
        ],
    }
    if any(value is not None for value in held):
        # set by f[key] = value, for the next call only
        facts["held"] = held
    return facts


def _fields(spec: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in names}


def function_from(facts: Mapping[str, Any]) -> LoadedFunction:
    """Rebuild a function from the result of ``facts_of``."""
    outputs, keys = facts["outputs"], facts["keys"]
    if isinstance(outputs, list):
        outputs = [Out(**o) for o in outputs]
        if keys is not None:
            outputs = dict(zip(keys, outputs, strict=True))
    elif outputs is not None:
        outputs = Out(**outputs)
    updates = [(v, new) for v, new in facts["updates"]]
    if not all(isinstance(v, SharedVariable) for v, _ in updates):
        raise TypeError("a function updates shared variables")
    inputs = [In(**i) for i in facts["inputs"]]
    held = facts.get("held", [None] * len(inputs))
    if not isinstance(held, list) or len(held) != len(inputs):
        raise TypeError("a function holds one value for each input")
    return LoadedFunction(inputs, outputs, updates, facts["name"], held)
