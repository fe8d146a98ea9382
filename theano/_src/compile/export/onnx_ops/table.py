"""The table: which form an op has, and which ops have one."""

from __future__ import annotations

from types import ModuleType

from theano._src.compile.export.onnx_ops import (
    arrays,
    indexing,
    loops,
    nets,
    products,
    reductions,
    scalars,
    shapes,
    windows,
)
from theano._src.compile.export.onnx_ops.context import Form
from theano._src.graph.op import Op
from theano._src.ops.core.scalar import ScalarOp

MODULES: tuple[ModuleType, ...] = (
    arrays,
    indexing,
    loops,
    nets,
    products,
    reductions,
    scalars,
    shapes,
    windows,
)

TABLE: dict[type[Op], Form] = {
    cls: form for module in MODULES for cls, form in module.FORMS.items()
}


def form_of(op: Op) -> Form | None:
    """The form of an op; subclasses may mean something else, and have none."""
    if isinstance(op, ScalarOp):
        return scalars.of_number
    return TABLE.get(type(op))


def names() -> list[str]:
    """The ops that have a form; those of single numbers have one if their formula has."""
    return sorted({cls.__name__.lstrip("_") for cls in TABLE})
