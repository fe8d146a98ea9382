"""Describe the contents of a graph file as text, including ops that are unknown here."""

from __future__ import annotations

import os
from collections import Counter
from math import prod
from typing import Any

from theano._src.compile.files.graph_file import read_file
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import GraphFileError
from theano._src.types.dtypes import NUMPY_DTYPES


@documented_in("theano.printing")
def file_contents(path: str | os.PathLike[str]) -> str:
    """Describe a file written by ``theano.save``: functions, variables, parameters, ops.

    No object of the file is created, so files with unknown ops can be inspected.

    Parameters
    ----------
    path : path

    Returns
    -------
    str

    Raises
    ------
    GraphFileError
        If the file is not a graph file, or damaged.

    Examples
    --------
    >>> import numpy as np, os, tempfile, theano, theano.tensor as T
    >>> path = os.path.join(tempfile.mkdtemp(), "model.theano")
    >>> x, w = T.dmatrix("x"), theano.shared(np.zeros((784, 10)), "w")
    >>> predict = theano.function([x], T.dot(x, w), name="predict")
    >>> theano.save(path, {"predict": predict, "epoch": 3})
    >>> print(theano.printing.file_contents(path))
    graph file, version 1, written by ...
    <BLANKLINE>
    {'predict': function predict(x) -> 1 output, 'epoch': 3}
    <BLANKLINE>
    parameters                                  7840 numbers, 62720 bytes
      w            float64 (784, 10)
    ops                                         1 node
      Dot                    1
    """
    document, _ = read_file(path)
    try:
        rows = [_describe(document["value"], document), "", *_parameters(document), *_ops(document)]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise GraphFileError(f"{os.fspath(path)} says what cannot be: {error!r}") from None
    wrote = f"version {document['version']}, written by {document.get('written_by')}"
    return "\n".join([f"graph file, {wrote}", "", *rows])


def _describe(x: Any, document: Any) -> str:
    """Describe the JSON of a value; long lists are abbreviated."""
    if isinstance(x, list):
        return f"[{_listed(x, document)}]"
    if isinstance(x, dict) and len(x) == 1:
        ((kind, given),) = x.items()
        if kind == "dict":
            pairs = [f"{_describe(k, document)}: {_describe(v, document)}" for k, v in given]
            return "{" + ", ".join(pairs) + "}"
        if kind == "tuple":
            return f"({_listed(given, document)})"
        if kind == "function":
            return _function(dict(given["dict"]), document)
        if kind == "variable":
            row = document["variables"][given]
            return f"{row.get('name') or 'variable'} of {_type(row, document)}"
        if kind == "array":
            return f"array of {given['dtype']} {_shape(given)}"
        return f"a {kind}"
    return repr(x)


def _listed(xs: list[Any], document: Any) -> str:
    shown = [_describe(one, document) for one in xs[:8]]
    return ", ".join(shown + ([f"... {len(xs)} in all"] if len(xs) > 8 else []))


def _function(facts: dict[str, Any], document: Any) -> str:
    inputs = [dict(i["dict"]) for i in facts["inputs"]]
    names = [
        str(i["name"] or _describe(i["variable"], document))
        + ("=" if i["value"] is not None else "")
        for i in inputs
    ]
    outputs = facts["outputs"]
    n = 0 if outputs is None else len(outputs) if isinstance(outputs, list) else 1
    updates = len(facts["updates"])
    more = f", {updates} updates" if updates else ""
    text = f"{n} output{'' if n == 1 else 's'}"
    return f"function {facts['name'] or ''}({', '.join(names)}) -> {text}{more}"


def _type(row: Any, document: Any) -> str:
    kind = document["types"][row["type"]]
    props = kind["props"]
    if kind["type"] != "TensorType":
        return str(kind["type"])
    pattern = props["broadcastable"]["tuple"]
    ones = ", some of length 1" if any(pattern) else ""
    return f"{props['dtype']}, {len(pattern)} dimensions{ones}"


def _shape(about: Any) -> str:
    return str(tuple(about["shape"]))


def _parameters(document: Any) -> list[str]:
    rows, numbers, size = [], 0, 0
    for row in document["variables"]:
        if "shared" not in row:
            continue
        about = row["shared"].get("array") if isinstance(row["shared"], dict) else None
        what = _type(row, document)
        if about is not None:
            n = prod(about["shape"])
            numbers += n
            size += n * NUMPY_DTYPES[about["dtype"]].itemsize
            what = f"{about['dtype']} {_shape(about)}"
        rows.append(f"  {row.get('name') or '(no name)':<12} {what}")
    if not rows:
        return []
    return [f"{'parameters':<44}{numbers} numbers, {size} bytes", *rows]


def _ops(document: Any) -> list[str]:
    counts = Counter(_op_name(document["ops"][row["op"]], document) for row in document["nodes"])
    n = counts.total()
    head = f"{'ops':<44}{n} node{'' if n == 1 else 's'}"
    return [head, *(f"  {name:<20} {count:>3}" for name, count in counts.most_common())]


def _op_name(row: Any, document: Any) -> str:
    """The name of an op; that of an Elemwise includes its scalar op."""
    inner = row["props"].get("scalar_op") if isinstance(row["props"], dict) else None
    if isinstance(inner, dict) and "op" in inner:
        return f"{row['op']} {document['ops'][inner['op']]['op']}"
    return str(row["op"])
