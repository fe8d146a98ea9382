"""Graphs, functions and parameters in files that hold no code (ADR 20).

A file is a zip of ``graph.json`` and, if there are arrays, ``arrays.safetensors``. Neither is
compressed, so reading takes at most a few times as much memory as the file is long.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.compile.files.graph_decoder import Decoder, WrongType, pair_of
from theano._src.compile.files.graph_encoder import Encoder, class_name
from theano._src.compile.files.loaded_function import LoadedFunction, facts_of, function_from
from theano._src.compile.function_object import Function
from theano._src.graph.graph import Variable
from theano._src.ground.array_files import safetensors_for, storable
from theano._src.ground.atomic_files import write_all
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import GraphFileError
from theano._src.ground.version import release
from theano._src.types.shared import Container, SharedVariable

#: the version of the format, not of the package; this version and all earlier ones are read
VERSION = 1
_GRAPH, _ARRAYS = "graph.json", "arrays.safetensors"
#: longer JSON is not read: as Python objects it takes about ten times as much memory
_LONGEST = 1 << 26


@documented_in("theano")
def save(path: str | os.PathLike[str], value: Any, lines: bool = True) -> None:
    """Write graphs, compiled functions and shared variables to a file that holds no code.

    Parameters
    ----------
    path : path
        The write is atomic: the file is written under another name first.
    value : variable, function, array, number, str, or list, tuple or dict of these
        Variables are saved with everything they are computed from: ops, constants, names, and the
        values of shared variables. Functions are saved with the graph before rewriting.
    lines : bool
        Whether nodes keep the source line that created them, which errors show.

    Raises
    ------
    TypeError
        If an op holds a Python function, or if files cannot hold a value.

    See Also
    --------
    load, load_values

    Examples
    --------
    >>> import numpy as np, os, tempfile, theano, theano.tensor as T
    >>> path = os.path.join(tempfile.mkdtemp(), "model.theano")
    >>> x, w = T.dvector("x"), theano.shared(np.array([1.0, 2.0]), "w")
    >>> theano.save(path, {"predict": theano.function([x], T.dot(x, w)), "epoch": 3})
    >>> model = theano.load(path)
    >>> model["predict"]([3, 4]).item(), model["epoch"]
    (11.0, 3)
    """
    encoder = Encoder(lines)
    functions: list[Function] = []
    root = _encoded(encoder, value, functions)
    _refuse_shared_state(functions, encoder.cells)
    document = {
        "format": "theano graph",
        "version": VERSION,
        "written_by": release,
        "value": root,
        **encoder.document(),
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > _LONGEST:
        raise ValueError(f"graph files hold {_LONGEST} bytes of graph, got {len(text)}")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        _write(archive, _GRAPH, text)
        if encoder.arrays:
            library = safetensors_for("theano.save of arrays")
            arrays = {name: storable(x) for name, x in encoder.arrays.items()}
            _write(archive, _ARRAYS, library.numpy.save(arrays))
    write_all({Path(path): content.getvalue()})


def _encoded(encoder: Encoder, value: Any, functions: list[Function]) -> Any:
    """Encode a value that may contain functions as JSON; append these to ``functions``."""
    if isinstance(value, LoadedFunction):
        value = value.compiled
    if isinstance(value, Function):
        functions.append(value)
        return {"function": encoder.value(facts_of(value))}
    if isinstance(value, tuple):
        return {"tuple": [_encoded(encoder, x, functions) for x in value]}
    if isinstance(value, list):
        return [_encoded(encoder, x, functions) for x in value]
    if isinstance(value, dict):
        pairs = value.items()
        return {"dict": [[encoder.value(k), _encoded(encoder, x, functions)] for k, x in pairs]}
    return encoder.value(value)


def _refuse_shared_state(functions: list[Function], cells: Iterable[int]) -> None:
    """Raise TypeError if inputs share a value: after loading, each would have its own."""
    seen = set(cells)
    for f in functions:
        for spec, container in zip(f.maker.inputs, f.input_storage, strict=True):
            if spec.shared or (spec.update is None and not isinstance(spec.value, Container)):
                continue
            if id(container.storage) in seen:
                raise TypeError(
                    f"graph files keep state that is in common only in shared variables, got {f} "
                    f"whose input {spec.variable} has its value in common with another function "
                    "or variable in the file; make it a shared variable, or use pickle"
                )
            seen.add(id(container.storage))


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # a fixed date: the same graph gives the same bytes
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


# reading


@documented_in("theano")
def load(
    path: str | os.PathLike[str],
    only: Any = None,
    bind: Mapping[str, Variable] | None = None,
    classes: Iterable[type] | Mapping[str, type] = (),
) -> Any:
    """Read a file that ``save`` wrote; no code from the file is run.

    Parameters
    ----------
    path : path
    only : key, or list of keys, optional
        Read only these keys of a saved dict: return the value of one key, or a dict of several.
        Variables that only other keys need are not created.
    bind : dict of str to variables, optional
        Variables of your program, with their own values, that replace the inputs and shared
        variables of these names in the file.
    classes : list of classes, or dict of str to classes
        Your own op and type classes in the file; a dict by the names in the file, if these have
        changed.

    Returns
    -------
    object
        Functions are compiled when they are first called; their ``compile`` method takes a mode.

    Raises
    ------
    GraphFileError
        If the file is damaged, was not written by ``save``, or has unknown ops, which the error
        names.

    See Also
    --------
    save, load_values

    Examples
    --------
    >>> import numpy as np, os, tempfile, theano, theano.tensor as T
    >>> path = os.path.join(tempfile.mkdtemp(), "model.theano")
    >>> x, w = T.dvector("x"), theano.shared(np.array([1.0, 2.0]), "w")
    >>> theano.save(path, {"cost": T.dot(x, w) ** 2, "x": x, "w": w})
    >>> model = theano.load(path)
    >>> model["cost"].eval({model["x"]: [1, 1]}).item()
    9.0
    >>> mine = theano.shared(np.array([5.0, 5.0]), "w")
    >>> theano.load(path, only="w", bind={"w": mine}) is mine
    True
    """
    document, arrays = read_file(path)
    chosen = _chosen(document.get("value"), only)
    with _named(path):
        decoder = Decoder(document, arrays, _by_name(classes), bind)
        result = _decoded(decoder, chosen)
    if bind is not None:
        unknown = sorted(bind.keys() - decoder.bound)
        if unknown:
            raise KeyError(f"bind has {unknown}, which {os.fspath(path)!r} has not in what is read")
    return result


@documented_in("theano")
def load_values(
    path: str | os.PathLike[str],
    variables: Mapping[str, SharedVariable] | Iterable[SharedVariable],
    partial: bool = False,
) -> list[str]:
    """Set shared variables to the values of the variables with the same names in a file.

    Parameters
    ----------
    path : path
        A file that ``save`` wrote.
    variables : list of shared variables, or dict by the names in the file
    partial : bool
        Whether to skip variables that are not in the file; if False, they raise KeyError.

    Returns
    -------
    list of str
        The names of the variables that were set.

    Raises
    ------
    KeyError
        If the file has no variable with a name, and ``partial`` is False.
    TypeError
        If a variable has another type in the file; then none is changed.

    Examples
    --------
    >>> import numpy as np, os, tempfile, theano
    >>> path = os.path.join(tempfile.mkdtemp(), "weights.theano")
    >>> theano.save(path, [theano.shared(np.arange(3.0), "w")])
    >>> w = theano.shared(np.zeros(3), "w")
    >>> theano.load_values(path, [w]), w.get_value().tolist()
    (['w'], [0.0, 1.0, 2.0])
    """
    wanted = (
        dict(variables)
        if isinstance(variables, Mapping)
        else {str(v.name): v for v in list(variables)}
    )
    document, arrays = read_file(path)
    with _named(path):
        result = Decoder(document, arrays).shared_values()
    missing = sorted(wanted.keys() - result.keys())
    if missing and not partial:
        raise KeyError(f"{os.fspath(path)!r} has no {', '.join(missing)}; it has {sorted(result)}")
    values = {}
    for name in wanted.keys() & result.keys():
        kind, read = result[name]
        if wanted[name].type != kind:
            raise TypeError(f"{name!r} is a {kind} in the file, and a {wanted[name].type} here")
        with _named(path):
            values[name] = read()
    for name, value in values.items():
        wanted[name].set_value(value, borrow=True)
    return sorted(values)


def _decoded(decoder: Decoder, x: Any) -> Any:
    if isinstance(x, list):
        return [_decoded(decoder, one) for one in x]
    if isinstance(x, dict) and len(x) == 1:
        ((kind, given),) = x.items()
        if kind == "tuple" and isinstance(given, list):
            return tuple(_decoded(decoder, one) for one in given)
        if kind == "dict" and isinstance(given, list):
            return {decoder.value(k): _decoded(decoder, one) for k, one in map(pair_of, given)}
        if kind == "function":
            return function_from(decoder.value(given))
    return decoder.value(x)


def _chosen(value: Any, only: Any) -> Any:
    if only is None:
        return value
    pairs = value.get("dict") if isinstance(value, dict) else None
    if not isinstance(pairs, list):
        raise GraphFileError("only is for files of a dict, and this one has none")
    have = {k: x for k, x in map(pair_of, pairs) if isinstance(k, str | int)}
    keys = only if isinstance(only, list | tuple) else [only]
    missing = [k for k in keys if k not in have]
    if missing:
        raise KeyError(f"the file has no {missing}; it has {list(have)}")
    return {"dict": [[k, have[k]] for k in only]} if keys is only else have[only]


def _by_name(classes: Iterable[type] | Mapping[str, type]) -> dict[str, type]:
    if isinstance(classes, Mapping):
        return dict(classes)
    return {class_name(cls): cls for cls in classes}


@contextlib.contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors while reading into GraphFileErrors that name the file."""
    try:
        yield
    except WrongType:
        raise
    except GraphFileError as error:
        raise GraphFileError(f"{os.fspath(path)}: {error}") from None
    except Exception as error:
        raise GraphFileError(f"{os.fspath(path)} says what cannot be: {error}") from None


def read_file(path: str | os.PathLike[str]) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the JSON and arrays of a file; checksums are verified, the contents are untrusted."""
    size = os.path.getsize(path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts: dict[str, bytes] = {}
            for info in archive.infolist():
                _check(info, size, parts)
                parts[info.filename] = archive.read(info)
        document = json.loads(parts.get(_GRAPH, b""), parse_constant=_refuse)
        arrays = {}
        if _ARRAYS in parts:
            arrays = safetensors_for("theano.load of arrays").numpy.load(parts[_ARRAYS])
    except (ImportError, FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:
        raise GraphFileError(
            f"{os.fspath(path)} is not a graph file, or damaged: {error}"
        ) from None
    if not isinstance(document, dict) or document.get("format") != "theano graph":
        raise GraphFileError(f"{os.fspath(path)} is not a graph file: theano.save writes them")
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise GraphFileError(
            f"{os.fspath(path)} has version {version!r:.20} of the format, and this release reads "
            f"1 to {VERSION}; a newer one wrote it ({document.get('written_by')!r:.40})"
        )
    return document, arrays


def _check(info: zipfile.ZipInfo, size: int, before: Mapping[str, bytes]) -> None:
    if info.filename not in (_GRAPH, _ARRAYS) or info.filename in before:
        raise ValueError(f"it has the part {info.filename!r:.80}")
    # a part that is not compressed cannot be longer than the file
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        raise ValueError(f"its part {info.filename} is compressed or encrypted")
    if info.file_size > size or (info.filename == _GRAPH and info.file_size > _LONGEST):
        raise ValueError(f"its part {info.filename} is said to have {info.file_size} bytes")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not a number of JSON")
