"""Attributes of Scan under Theano's names, for existing programs.

Theano calls a state with tap -1 a "sitsot", and an output that does not feed back a "nitsot".
Here, outputs with several taps and shared variables are such states too; other kinds do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.lazy import ABOVE


def _inputs(given: Any) -> list[Any]:
    return list(given.inputs if isinstance(given, Apply) else given)


def _outputs(given: Any) -> list[Any]:
    return list(given.outputs if isinstance(given, Apply) else given)


class ScanNames:
    """Counts and groups of a loop's inputs and outputs: inner (one step) and outer (the node)."""

    inner_inputs: tuple[Any, ...]
    inner_outputs: tuple[Any, ...]
    n_sequences: int
    n_states: int
    until: bool
    bounded: bool
    is_stacked: tuple[bool, ...]
    truncate: int
    name: str | None

    n_mit_mot = n_mit_mot_outs = n_mit_sot = n_shared_outs = 0

    @property
    def inputs(self) -> list[Any]:
        """The inputs of one step."""
        return list(self.inner_inputs)

    @property
    def outputs(self) -> list[Any]:
        """The outputs of one step."""
        return list(self.inner_outputs)

    @property
    def fn(self) -> Any:
        """The step as a separate function, for inspection."""
        return ABOVE["scan_fn"](self)

    @property
    def n_seqs(self) -> int:
        return self.n_sequences

    @property
    def n_sit_sot(self) -> int:
        return self.n_states

    @property
    def n_nit_sot(self) -> int:
        return len(self.is_stacked) - self.n_states

    @property
    def as_while(self) -> bool:
        return self.until

    @property
    def truncate_gradient(self) -> int:
        return self.truncate

    @property
    def tap_array(self) -> list[list[int]]:
        return [[-1] for _ in range(self.n_states)]

    @property
    def info(self) -> dict[str, Any]:
        """The properties of the loop under Theano's names."""
        names = (
            "n_seqs n_mit_mot n_mit_mot_outs n_mit_sot n_sit_sot n_shared_outs n_nit_sot "
            "truncate_gradient name as_while tap_array"
        )
        return {name: getattr(self, name) for name in names.split()} | {"gpua": False}

    def inner_seqs(self, list_inputs: Sequence[Any]) -> list[Any]:
        return _inputs(list_inputs)[: self.n_sequences]

    def outer_seqs(self, list_inputs: Any) -> list[Any]:
        first = 1 + self.bounded
        return _inputs(list_inputs)[first : first + self.n_sequences]

    def inner_sitsot(self, list_inputs: Sequence[Any]) -> list[Any]:
        return _inputs(list_inputs)[self.n_sequences :][: self.n_states]

    def outer_sitsot(self, list_inputs: Any) -> list[Any]:
        first = 1 + self.bounded + self.n_sequences
        return _inputs(list_inputs)[first : first + self.n_states]

    def inner_sitsot_outs(self, list_outputs: Sequence[Any]) -> list[Any]:
        return _outputs(list_outputs)[: self.n_states]

    def outer_sitsot_outs(self, list_outputs: Any) -> list[Any]:
        return _outputs(list_outputs)[: sum(self.is_stacked[: self.n_states])]

    def inner_nitsot_outs(self, list_outputs: Sequence[Any]) -> list[Any]:
        return _outputs(list_outputs)[self.n_states : len(self.is_stacked)]

    def outer_nitsot_outs(self, list_outputs: Any) -> list[Any]:
        return _outputs(list_outputs)[sum(self.is_stacked[: self.n_states]) : sum(self.is_stacked)]

    def inner_non_seqs(self, list_inputs: Sequence[Any]) -> list[Any]:
        return _inputs(list_inputs)[self.n_sequences + self.n_states :]

    def outer_non_seqs(self, list_inputs: Any) -> list[Any]:
        return _inputs(list_inputs)[1 + self.bounded + self.n_sequences + self.n_states :]

    def _none(self, given: Any = ()) -> list[Any]:
        return []

    inner_mitmot = outer_mitmot = inner_mitmot_outs = outer_mitmot_outs = _none
    inner_mitsot = outer_mitsot = inner_mitsot_outs = outer_mitsot_outs = _none
    inner_shared = outer_shared = inner_shared_outs = outer_shared_outs = _none
    outer_nitsot = mitmot_taps = mitsot_taps = mitmot_out_taps = _none
