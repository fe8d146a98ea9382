"""The table of the ONNX forms of ops."""

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
    """Return the form of an op or None; subclasses have none, as they may compute other things."""
    if isinstance(op, ScalarOp):
        return scalars.of_number
    return TABLE.get(type(op))


def names() -> list[str]:
    """Return the names of ops with a form; elementwise ops may also be exported by formula."""
    return sorted({cls.__name__.lstrip("_") for cls in TABLE})
