"""CLinkerOp: the C code methods of an op, and how a node runs its C code."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from theano._src.graph.c_object import CLinkerObject
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.ground.utils import MethodNotDefined

_why_no_compiler = at_first_use("theano._src.c_code.compiler:why_no_compiler")
_missing = at_first_use("theano._src.c_code.compiler:MissingGXX")
_node_function = at_first_use("theano._src.c_code.node_module:node_function")


@documented_in("theano.gof.op")
class CLinkerOp(CLinkerObject):
    """The C code of an op. A method that is not overridden raises MethodNotDefined.

    ``c_code(node, name, inputs, outputs, sub)`` returns the text that computes a node: ``inputs``
    and ``outputs`` are the names of C variables, ``sub['fail']`` is the code to insert after
    setting a Python exception, ``sub['params']`` is the name of the parameters. The other methods
    return the code around it. Types define the C form of their values: see CLinkerType.
    """

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: dict[str, str]) -> str:
        self._absent("c_code")
        return ""

    def c_code_cleanup(
        self, node: Any, name: str, inputs: Any, outputs: Any, sub: dict[str, str]
    ) -> str:
        self._absent("c_code_cleanup")
        return ""

    def c_code_cache_version_apply(self, node: Any) -> tuple[Any, ...]:
        return self.c_code_cache_version()

    def c_support_code_apply(self, node: Any, name: str) -> str:
        self._absent("c_support_code_apply")
        return ""

    def c_support_code_struct(self, node: Any, name: str) -> str:
        self._absent("c_support_code_struct")
        return ""

    def c_init_code_apply(self, node: Any, name: str) -> str:
        self._absent("c_init_code_apply")
        return ""

    def c_init_code_struct(self, node: Any, name: str, sub: dict[str, str]) -> str:
        self._absent("c_init_code_struct")
        return ""

    def c_cleanup_code_struct(self, node: Any, name: str) -> str:
        self._absent("c_cleanup_code_struct")
        return ""


@documented_in("theano.gof.cc")
class HideC:
    """A base class that hides the C code of the bases after it: the op runs ``perform``.

    >>> import theano
    >>> class Plain(theano.gof.HideC, theano.Op): ...
    """

    def _hidden(self, *args: Any) -> Any:
        raise MethodNotDefined("c_code", type(self), type(self).__name__)

    c_code = c_code_cleanup = _hidden
    c_headers = c_header_dirs = c_libraries = c_lib_dirs = _hidden
    c_compile_args = c_no_compile_args = c_init_code = c_compiler = _hidden
    c_support_code = c_support_code_apply = c_support_code_struct = _hidden
    c_init_code_apply = c_init_code_struct = c_cleanup_code_struct = _hidden

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return ()

    def c_code_cache_version_apply(self, node: Any) -> tuple[Any, ...]:
        return self.c_code_cache_version()


def gives_c_code(op: Any) -> bool:
    """Whether an op has C code; a ``compute`` of the same or a derived class overrides it."""
    if "c_code" in getattr(op, "__dict__", ()):
        return True
    for cls in type(op).__mro__:
        if "compute" in cls.__dict__ or cls in (CLinkerOp, HideC):
            return False
        if "c_code" in cls.__dict__:
            return True
    return False


def gives_perform(op: Any) -> bool:
    """Whether an op can run without C code."""
    return "perform" in getattr(op, "__dict__", ()) or any(
        name in cls.__dict__ and cls.__module__ != CLinkerOp.__module__
        for cls in type(op).__mro__
        for name in ("perform", "compute")
    )


def in_c(node: Any, impl: str | None = None) -> Callable[..., Any] | None:
    """Return a function that runs the C code of a node, or None if ``perform`` should run.

    The function takes the values of the inputs, then for each output a value whose memory may be
    reused, or None. With ``impl='py'`` the result is always None; with ``impl='c'`` a missing
    compiler or missing C code raises.
    """
    op = node.op
    if impl == "py" or not gives_c_code(op):
        return None
    why = _why_no_compiler()(python=True)
    python = impl != "c" and gives_perform(op)
    if why is None:
        cells = {v: [None] for v in (*node.inputs, *node.outputs)}
        op.prepare_node(node, cells, {v: [v in node.inputs] for v in cells}, "c")
        params = None if getattr(op, "params_type", None) is None else node.run_params()
        try:
            function: Callable[..., Any] = _node_function()(node, params)
        except (MethodNotDefined, NotImplementedError):
            # an op may have C code for some types only
            if not python:
                raise
            return None
        return function
    if not python:
        raise _missing()(f"{op} runs by its C code, and that needs a compiler: {why}")
    if not _warned:
        _warned.append(why)
        warnings.warn(
            f"ops with C code run their Python code, which may be slower: {why}",
            RuntimeWarning,
            stacklevel=2,
        )
    return None


#: why C code could not be compiled, once a warning was given
_warned: list[str] = []
