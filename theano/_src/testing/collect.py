"""Specs as parametrised pytest checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from theano._src.testing import checks
from theano._src.testing.compiled import compiled
from theano._src.testing.gradients import gradient, gradient_by_jax, has_jax_form, why_not
from theano._src.testing.opspec import OpSpec, Raises
from theano._src.testing.sizes import sizes


def checks_of(spec: OpSpec) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield (id, check) for each check of a spec; ids of checks on XLA end in ``xla``."""
    for case in spec.all_cases():
        yield f"value-{case.id}", partial(checks.value, spec, case)
    if spec.elementwise:
        yield "dtypes", partial(checks.dtypes, spec)
    yield "shape", partial(checks.shape, spec)
    yield "memory", partial(checks.memory, spec)
    yield "pickle", partial(checks.pickled, spec)
    yield "file", partial(checks.filed, spec)
    yield "equality", partial(checks.equality, spec)
    yield "xla", partial(compiled, spec)
    if not spec.elementwise and spec.sizes == "symbolic":
        yield "sizes", partial(sizes, spec, "numpy")
        yield "sizes-xla", partial(sizes, spec, "xla")
    if why_not(spec) is None:
        yield "grad", partial(gradient, spec)
        if has_jax_form(spec):
            yield "grad-xla", partial(gradient_by_jax, spec)
    for i, raises in enumerate(spec.errors):
        if raises.when == "build":
            yield _error_id(i, raises), partial(checks.build_error, spec, raises)
    for engines, tail in ((checks.INTERPRETED, ""), (checks.COMPILED, "-xla")):
        if spec.elementwise and spec.nin > 1:
            yield f"mismatch{tail}", partial(checks.mismatch, spec, engines)
        if spec.special:
            yield f"special{tail}", partial(checks.special, spec, engines)
        for i, raises in enumerate(spec.errors):
            if raises.when == "run":
                label = _error_id(i, raises) + tail
                yield label, partial(checks.run_error, spec, raises, engines)


def _error_id(i: int, raises: Raises) -> str:
    return f"error{i}-{raises.exception.__name__}"


def spec_tests(specs: Sequence[OpSpec], defects: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Return one pytest function that runs every check of every spec of a table.

    Use it as the last line of a test file: ``test_ops = spec_tests(SPECS)``. ``defects`` names
    checks that are known to fail, with the reason; if one of them passes, that is an error.

    >>> import numpy as np, theano.tensor as T
    >>> from theano.testing import OpSpec, spec_tests
    >>> test_ops = spec_tests([OpSpec(T.exp, ref=lambda x: np.e**x)])
    >>> callable(test_ops)
    True
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
            marks: list[Any] = [pytest.mark.xla] if label.endswith("xla") else []
            row = f"{name}-{label}"
            if row in defects:
                marks.append(pytest.mark.xfail(strict=True, reason=defects[row]))
            rows.append(pytest.param(name, check, id=row, marks=marks))

    @pytest.mark.parametrize(("name", "check"), rows)
    def test_ops(name: str, check: Callable[[], None], record_property: Any) -> None:
        record_property("opspec", name)
        check()

    return test_ops
