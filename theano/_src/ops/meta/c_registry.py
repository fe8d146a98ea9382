"""C code that programs register for views, copies and shapes; it is stored, but not run."""

from __future__ import annotations

from typing import Any, TypeAlias

from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in

#: to be changed whenever the code changes
Version: TypeAlias = int | tuple[Any, ...]
#: by op and Type: C code and its version; stored for programs that read it, but never run
C_CODE: dict[str, dict[Any, tuple[Any, ...]]] = {
    "ViewOp": {},
    "DeepCopyOp": {},
    "Shape": {},
    "Shape_i": {},
    "SpecifyShape": {},
    "Rebroadcast": {},
}


def _keep(op: str, typ: type[Type], *what: object) -> None:
    C_CODE[op][typ] = what


@documented_in("theano.compile.ops")
def register_view_op_c_code(type: type[Type], code: str, version: Version = ()) -> None:
    """Store the C code for ViewOp, which makes %(oname)s a view of %(iname)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_view_op_c_code(Words, "%(oname)s = %(iname)s;", version=1)
    """
    _keep("ViewOp", type, code, version)


@documented_in("theano.compile.ops")
def register_deep_copy_op_c_code(typ: type[Type], code: str, version: Version = ()) -> None:
    """Store the C code for DeepCopyOp, which makes %(oname)s a copy of %(iname)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_deep_copy_op_c_code(Words, "%(oname)s = copy(%(iname)s);", version=1)
    """
    _keep("DeepCopyOp", typ, code, version)


@documented_in("theano.compile.ops")
def register_shape_c_code(type: type[Type], code: str, version: Version = ()) -> None:
    """Store the C code for Shape, which writes the shape of %(iname)s to %(oname)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_shape_c_code(Words, "%(oname)s = shape(%(iname)s);", version=1)
    """
    _keep("Shape", type, code, version)


@documented_in("theano.compile.ops")
def register_shape_i_c_code(
    typ: type[Type], code: str, check_input: str, version: Version = ()
) -> None:
    """Store the C code for Shape_i, which writes one length of %(iname)s to %(oname)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_shape_i_c_code(Words, "%(oname)s = length(%(iname)s, %(i)s);", "", version=1)
    """
    _keep("Shape_i", typ, code, check_input, version)


@documented_in("theano.compile.ops")
def register_specify_shape_c_code(
    typ: type[Type], code: str, version: Version = (), c_support_code_apply: str | None = None
) -> None:
    """Store the C code for SpecifyShape, which checks %(iname)s against %(shape)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_specify_shape_c_code(Words, "check(%(iname)s, %(shape)s);", version=1)
    """
    _keep("SpecifyShape", typ, code, version, c_support_code_apply)


@documented_in("theano.compile.ops")
def register_rebroadcast_c_code(typ: type[Type], code: str, version: Version = ()) -> None:
    """Store the C code for Rebroadcast, which checks the length of %(axis)s.

    >>> import theano
    >>> from theano.compile import ops
    >>> class Words(theano.gof.Type): ...
    >>> ops.register_rebroadcast_c_code(Words, "check(%(iname)s, %(axis)s);", version=1)
    """
    _keep("Rebroadcast", typ, code, version)
