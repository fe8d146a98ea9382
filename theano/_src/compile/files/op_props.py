"""How graph files store ops and types: by the arguments that make an equal one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from theano._src.graph.graph import Variable, owner_of
from theano._src.graph.op_facts import arguments_of
from theano._src.graph.op_table import OpTable
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.meta.misc import _print_fn


def props_by_name(thing: Any) -> dict[str, Any]:
    """Return the ``__props__``, or the attributes with the names of the class's arguments.

    >>> import theano.tensor as T
    >>> props_by_name(T.dvector)
    {'dtype': 'float64', 'broadcastable': (False,), 'name': None, 'sparse_grad': False}
    """
    cls = type(thing)
    taken = arguments_of(cls)
    names = getattr(cls, "__props__", None)
    if names is None or not set(names) <= set(taken):
        names = [name for name in taken if hasattr(thing, name)]
    return {name: getattr(thing, name) for name in names}


class FileForm(NamedTuple):
    """How graph files store the ops or types of a class.

    Parameters
    ----------
    props : callable
        ``props(op)`` returns a dict of what a file keeps: numbers, strings, tuples, lists, dicts,
        arrays, variables, types and ops. By default the ``__props__``, or the attributes with the
        names of the class's arguments.
    make : callable
        ``make(cls, **props)`` returns an equal op. By default the class is called.
    refused : str, optional
        Why files cannot hold ops of this class.
    """

    props: Callable[[Any], Mapping[str, Any]] = props_by_name
    make: Callable[..., Any] = lambda cls, **props: cls(**props)
    refused: str | None = None


def form_of(cls: type) -> FileForm:
    """Return the FileForm of a class of ops, types or other arguments of ops."""
    props, make = getattr(cls, "saved_props", None), getattr(cls, "from_props", None)
    if props is None and make is None:
        return file_forms.of_class(cls, _DEFAULT)
    warn_user(
        f"saved_props and from_props of {cls.__name__} are deprecated; write "
        f"theano.extend.file_forms[{cls.__name__}] = theano.extend.FileForm(props, make)",
        DeprecationWarning,
    )
    return FileForm(
        props or props_by_name,
        _DEFAULT.make if make is None else lambda cls, **props: cls.from_props(**props),
    )


# elementwise functions


def _of_scalar_op(op: Any) -> dict[str, Any]:
    # without class attributes
    own = vars(op)
    return {n: own[n] for n in arguments_of(type(op)) if own.get(n) is not None}


def _of_elemwise(op: Any) -> dict[str, Any]:
    props = {"scalar_op": op.scalar_op, "inplace_pattern": op.inplace_pattern}
    return props | {n: v for n in ("name", "nfunc_spec") if (v := getattr(op, n)) is not None}


def _of_composite(op: Any) -> dict[str, Any]:
    return {"dtypes": op.dtypes, "steps": op.steps, "outs": op.outs}


def _composite(cls: Any, dtypes: Sequence[str], steps: Sequence[Any], outs: Sequence[int]) -> Any:
    for at, (_, args) in enumerate([*steps, (None, outs)], len(dtypes)):
        if not all(type(a) is int and 0 <= a < at for a in args):
            raise ValueError(f"step {at} of a Composite takes values before it, got {args}")
    return cls.of(dtypes, steps, outs)


# ops on arrays


def _of_conv_op(op: Any) -> dict[str, Any]:
    bsize, *images = op.imshp
    nkern, _, *lengths = op.kshp
    dx, dy = op.subsample
    shapes = {"imshp": images, "kshp": lengths, "nkern": nkern, "bsize": bsize}
    return shapes | {"dx": dx, "dy": dy, "output_mode": op.border_mode}


def _of_print(op: Any) -> dict[str, Any]:
    if op.global_fn is not _print_fn:
        raise TypeError(f"graph files do not hold {op}: its global_fn is a Python function")
    return {"message": op.message, "attrs": op.attrs}


#: methods of RandomState that draw nothing
_NO_DRAWS = {"bytes", "get_state", "seed", "set_state", "shuffle"}


def _random_function(cls: Any, **props: Any) -> Any:
    # the name may come from an untrusted file
    fn = props["fn"]
    if isinstance(fn, str) and (fn.startswith("_") or fn in _NO_DRAWS):
        raise ValueError(f"{fn!r} is no draw of numpy.random.RandomState")
    return cls(**props)


# ops with inner graphs


def _of_op_from_graph(op: Any) -> dict[str, Any]:
    given = "grad_overrides" if op._grad_given else "lop_overrides"
    return {
        "inputs": op.inputs,
        "outputs": op.outputs,
        "inline": op.is_inline,
        given: op.lop_overrides,
        "rop_overrides": op.rop_overrides,
        "connection_pattern": op._pattern,
        "name": op.name,
    }


def _of_scan(op: Any) -> dict[str, Any]:
    _, _, *rest = arguments_of(type(op))
    graph = {"inputs": op.inner_inputs, "outputs": op.inner_outputs}
    return graph | {name: getattr(op, name) for name in rest}


def _vmap(cls: Any, row: Sequence[Variable], is_batched: Sequence[bool]) -> Any:
    return cls(owner_of(row[0]), is_batched)


_DEFAULT = FileForm()
_MADE_BY_REWRITING = FileForm(refused="rewriting makes it; save the graph as it was before")

#: the forms of classes that cannot use the default
file_forms: OpTable[FileForm] = OpTable(
    {
        "theano.scalar.basic.ScalarOp": FileForm(_of_scalar_op),
        "theano.scalar.basic.Composite": FileForm(_of_composite, _composite),
        "theano.scalar.basic.specific_out": FileForm(
            lambda x: {"spec": x.spec}, lambda cls, spec: cls(*spec)
        ),
        "theano.scalar.basic.transfer_type": FileForm(
            lambda x: {"transfer": x.transfer}, lambda cls, transfer: cls(*transfer)
        ),
        "theano.scalar.basic.unary_out_lookup": FileForm(lambda x: {"type_table": dict(x.tbl)}),
        "theano.tensor.elemwise.Elemwise": FileForm(_of_elemwise),
        "theano.tensor.nnet.conv.ConvOp": FileForm(_of_conv_op),
        "theano.compile.ops.Rebroadcast": FileForm(
            lambda op: {"items": op.items}, lambda cls, items: cls(*items)
        ),
        "theano.sandbox.linalg.ops.Hint": FileForm(lambda op: dict(op.hints)),
        "theano.printing.Print": FileForm(_of_print),
        "theano.tensor.raw_random.RandomFunction": FileForm(make=_random_function),
        "theano.compile.builders.OpFromGraph": FileForm(_of_op_from_graph),
        "theano._src.control.scan.structure.ScanStructure": FileForm(_of_scan),
        "theano._src.control.batching.Vmap": FileForm(
            lambda op: {"row": op.row.outputs, "is_batched": op.is_batched}, _vmap
        ),
        "theano._src.control.vectorize.SameRows": FileForm(
            lambda op: {"ndim": op.ndim, "nin": len(op.view_map)}
        ),
        "theano._src.control.lazy_branches.Branches": _MADE_BY_REWRITING,
        "theano._src.control.lazy_thunk.LazyThunk": _MADE_BY_REWRITING,
        "theano.compile.ops.FromFunctionOp": FileForm(
            refused="it holds a Python function; write a class with perform, and give it to load"
        ),
        "theano.extend.JaxOp": FileForm(
            refused="it holds a function of jax; write a class with compute, and give it to load"
        ),
    }
)
