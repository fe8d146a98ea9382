"""Specs as parametrised pytest checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from theano._src.testing import checks
from theano._src.testing.opspec import OpSpec
from theano._src.testing.traced import traced


def checks_of(spec: OpSpec) -> Iterator[tuple[str, Callable[[], None]]]:
    """(id, check) for everything that a spec asks for."""
    for case in spec.all_cases():
        yield f"value-{case.id}", partial(checks.value, spec, case)
    if spec.elementwise:
        yield "dtypes", partial(checks.dtypes, spec)
        if spec.nin > 1:
            yield "mismatch", partial(checks.mismatch, spec)
    if spec.special:
        yield "special", partial(checks.special, spec)
    yield "shape", partial(checks.shape, spec)
    yield "memory", partial(checks.memory, spec)
    yield "pickle", partial(checks.pickled, spec)
    yield "equality", partial(checks.equality, spec)
    for i, raises in enumerate(spec.errors):
        yield f"error{i}-{raises.exception.__name__}", partial(checks.errors, spec, raises)
    yield "jax", partial(traced, spec)


def spec_tests(specs: Sequence[OpSpec]) -> Any:
    """One pytest function that runs every check of every spec of a table.

    Use it as the last line of a test file: ``test_ops = spec_tests(SPECS)``.
    """
    import pytest

    seen: dict[str, int] = {}
    rows = []
    for spec in specs:
        name = str(spec.name)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}#{seen[name]}"
        for label, check in checks_of(spec):
            marks = [pytest.mark.xla] if label == "jax" else []
            rows.append(pytest.param(name, check, id=f"{name}-{label}", marks=marks))

    @pytest.mark.parametrize(("name", "check"), rows)
    def test_ops(name: str, check: Callable[[], None], record_property: Any) -> None:
        record_property("opspec", name)
        check()

    return test_ops
