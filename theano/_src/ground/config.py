"""`config`: all flags as attributes; THEANO_FLAGS and THEANORC set them at declaration."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from contextlib import ContextDecorator
from copy import copy
from typing import Any, NoReturn

from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.flags import FLAGS
from theano._src.ground.lazy import ABOVE
from theano._src.ground.params import ConfigParam
from theano._src.ground.suggest import nearest


@documented_in("theano.configparser")
class TheanoConfigWarning(Warning):
    """An entry of THEANO_FLAGS or THEANORC has no effect."""


@documented_in("theano.configparser")
def parse_config_string(config_string: str, issue_warnings: bool = True) -> dict[str, str]:
    """Parse a string such as THEANO_FLAGS; of repeated flags, the last one counts.

    >>> parse_config_string("floatX=float32,compile.wait=7,floatX=float64")
    {'floatX': 'float64', 'compile.wait': '7'}
    """
    pieces = config_string.split(",")
    if '"' in config_string or "'" in config_string:
        import shlex

        splitter = shlex.shlex(config_string, posix=True)
        splitter.whitespace, splitter.whitespace_split = ",", True
        # backslashes occur in Windows paths, and '#' in values
        splitter.escape = splitter.commenters = ""
        try:
            pieces = list(splitter)
        except ValueError:
            raise ValueError(
                f"THEANO_FLAGS takes name=value pairs, got an open quote in {config_string!r}"
            ) from None
    result = {}
    for piece in filter(None, map(str.strip, pieces)):
        name, equals, value = piece.partition("=")
        if equals:
            result[name.strip()] = value.strip()
        elif issue_warnings:
            warnings.warn(
                f"THEANO_FLAGS takes name=value pairs, got {piece!r}, which is left out",
                TheanoConfigWarning,
                stacklevel=2,
            )
    return result


@documented_in("theano.configparser")
def config_files_from_theanorc(environ: Mapping[str, str] | None = None) -> list[str]:
    """Return the files that THEANORC names, or the default; later files take precedence.

    >>> config_files_from_theanorc({"THEANORC": os.pathsep.join(["one", "two"])})
    ['one', 'two']
    """
    environ = os.environ if environ is None else environ
    usual = ["~/.theanorc"] + ["~/.theanorc.txt"] * (sys.platform == "win32")
    paths = environ.get("THEANORC", os.pathsep.join(usual)).split(os.pathsep)
    return [os.path.expanduser(path) for path in paths if path]


def _read_file(path: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the flags of one file by full name."""
    if not os.path.isfile(path):
        return {}
    import configparser

    # an example in the documentation has a comment after a value
    parser = configparser.ConfigParser(strict=False, inline_comment_prefixes=("#", ";"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read(path, encoding="utf-8-sig")
    except (configparser.Error, UnicodeDecodeError) as error:
        raise ValueError(
            f"THEANORC takes files of [section] headers and name = value lines, got {path}; "
            f"{error}; undotted flags belong under [global]"
        ) from None
    keys = ("USER", "LSCRATCH", "TMPDIR", "TEMP", "TMP")
    replace = {key: environ.get(key, "") for key in keys} | {"PID": str(os.getpid())}
    result = {}
    for section in parser.sections():
        for option in parser.options(section):
            try:
                value = parser.get(section, option, vars=replace)
            except configparser.InterpolationError:
                # the value of compiledir_format contains percent signs
                value = parser.get(section, option, raw=True)
            result[option if section == "global" else f"{section}.{option}"] = value
    return result


class _Section:
    """A section of dotted flags; values are in the instance's own dict, for fast reads."""

    _root: TheanoConfigParser
    _prefix: str

    def __init__(self, root: TheanoConfigParser, prefix: str) -> None:
        self.__dict__.update(_root=root, _prefix=prefix)

    @short_traceback
    def __getattr__(self, name: str) -> Any:
        # only called for names not in the dict: computed flags, dotted names, mistakes
        if name.startswith("_"):
            raise AttributeError(f"theano.config has no attribute {name!r}", name=name)
        return self._root._read(self._prefix + name)

    @short_traceback
    def __setattr__(self, name: str, value: Any) -> None:
        self._root._assign(self._prefix + name, value)

    def __dir__(self) -> list[str]:
        start = len(self._prefix)
        flags = self._root._params
        names = {name[start:].partition(".")[0] for name in flags if name.startswith(self._prefix)}
        return sorted({*object.__dir__(self), *names})

    def __repr__(self) -> str:
        return f"<theano.config.{self._prefix.rstrip('.')}>"


@documented_in("theano.configparser")
class TheanoConfigParser(_Section):
    """All flags; `theano.config` is the instance that all code reads.

    >>> config.floatX
    'float64'
    >>> config.profiling.n_apply
    20
    """

    _params: dict[str, ConfigParam]
    _in_flags: dict[str, str]
    # by lower-case name: files ignore the case of option names
    _in_files: dict[str, tuple[str, str, str]]

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(self, "")
        environ = os.environ if environ is None else environ
        in_files: dict[str, tuple[str, str, str]] = {}
        paths = config_files_from_theanorc(environ)
        if environ.get("THEANORC") and not any(map(os.path.exists, paths)):
            warnings.warn(
                f"THEANORC names {' and '.join(paths)}, and there is no such file; no flag is set "
                "by it",
                TheanoConfigWarning,
                stacklevel=2,
            )
        for path in paths:
            for name, text in _read_file(path, environ).items():
                in_files[name.lower()] = (name, text, path)
        in_flags = parse_config_string(environ.get("THEANO_FLAGS", ""))
        self.__dict__.update(_params={}, _in_files=in_files, _in_flags=in_flags)
        for name, param, doc in FLAGS:
            # a ConfigParam belongs to one config object: others use copies
            self._declare(name, doc, param if param.root is None else copy(param))
        self._report_unknown()

    def _declare(self, name: str, doc: str, param: ConfigParam, in_c_key: bool = True) -> None:
        if name in self._params:
            raise AttributeError(f"AddConfigVar takes a new name, got {name!r}, which is a flag")
        if param.fullname not in ("", name):
            raise AttributeError(f"AddConfigVar takes a new param, got that of {param.fullname!r}")
        holder: _Section = self
        *sections, leaf = name.split(".")
        for depth, section in enumerate(sections, 1):
            prefix = ".".join(sections[:depth])
            if prefix in self._params:
                raise AttributeError(
                    f"AddConfigVar takes {prefix!r} as a section, but it is a flag"
                )
            if section not in holder.__dict__:
                holder.__dict__[section] = _Section(self, prefix + ".")
            holder = holder.__dict__[section]
        if leaf in holder.__dict__ or not leaf.isidentifier():
            raise AttributeError(f"AddConfigVar takes a new dotted name, got {name!r}")
        param.fullname, param.doc, param.in_c_key, param.root = name, doc, in_c_key, self
        self._params[name] = param
        try:
            self._initialise(param, holder, leaf)
        except ValueError:
            del self._params[name]
            raise

    def _initialise(self, param: ConfigParam, holder: _Section, leaf: str) -> None:
        name = param.fullname
        if name in self._in_flags:
            text, source = self._in_flags[name], "THEANO_FLAGS"
        elif name.lower() in self._in_files:
            _, text, source = self._in_files[name.lower()]
        else:
            # other defaults are computed when they are read
            if param.derive is None and not callable(param.default):
                holder.__dict__[leaf] = self._parse(param, param.default, "its default")
            return
        holder.__dict__[leaf] = self._parse(param, text, source)

    def _parse(self, param: ConfigParam, given: Any, source: str) -> Any:
        try:
            return param.parse(given)
        except ValueError as error:
            more = "" if str(error) in ("", param.takes) else f"; {error}"
            raise ValueError(
                f"{param.fullname} takes {param.takes}, got {given!r} ({source}){more}"
            ) from None

    def _report_unknown(self) -> None:
        for name in self._in_flags:
            if name not in self._params:
                warnings.warn(
                    f"THEANO_FLAGS takes flags, got {name!r}, which is none{self._nearest(name)}"
                    " It has no effect, unless a library declares it later.",
                    TheanoConfigWarning,
                    stacklevel=2,
                )
        if not self._in_files:
            return
        known = {name.lower() for name in self._params}
        sections = {name.rpartition(".")[0] for name in known} - {""}
        slips = {}
        for lower, (name, _, path) in self._in_files.items():
            if lower in known:
                continue
            section, _, option = name.rpartition(".")
            # one file serves many versions and libraries: report only likely typos
            if section.lower() not in sections and (
                near := "global" if option.lower() in known else nearest(section, sections)
            ):
                text = f"has a section [{section}], which has no flags; did you mean [{near}]?"
                slips[path, section] = text
            elif (near := self._nearest(name)) != ".":
                slips[path, name] = f"sets {name!r}, which is not a flag{near}"
        for (path, _), text in slips.items():
            warnings.warn(f"{path} {text}", TheanoConfigWarning, stacklevel=2)

    def _nearest(self, name: str) -> str:
        near = nearest(name, self._params)
        return f"; did you mean {near!r}?" if near else "."

    def _resolve(self, name: str) -> tuple[ConfigParam, dict[str, Any], str]:
        param = self._params.get(name)
        if param is None:
            # later versions of Theano join sections with two underscores
            param = self._params.get(name.replace("__", "."))
        if param is None:
            self._refuse(name)
        holder: _Section = self
        *sections, leaf = param.fullname.split(".")
        for section in sections:
            holder = holder.__dict__[section]
        return param, holder.__dict__, leaf

    def _refuse(self, name: str) -> NoReturn:
        raise AttributeError(
            f"theano.config takes flags, got {name!r}, which is none{self._nearest(name)}"
            " print(theano.config) lists them.",
            name=name,
        )

    def _read(self, name: str) -> Any:
        param, values, leaf = self._resolve(name)
        if leaf in values:
            return values[leaf]
        value = param.compute(self)
        if param.derive is None:
            values[leaf] = value
        return value

    def _assign(self, name: str, given: Any) -> None:
        param, values, leaf = self._resolve(name)
        value = self._parse(param, given, "assigned")
        if not param.allow_override:
            if value == self._read(param.fullname):
                return
            raise AttributeError(
                f"{param.fullname} takes its value when theano is imported, got {given!r} now; "
                f"set it with THEANO_FLAGS={param.fullname}=... or in the THEANORC file",
                name=param.fullname,
            )
        values[leaf] = value

    @short_traceback
    def __getitem__(self, name: str) -> Any:
        raise TypeError(
            f"flags are attributes, got config[{name!r}]; write theano.config.{name}, or "
            "getattr(theano.config, name) for a name in a variable"
        )

    @short_traceback
    def change_flags(self, args: Any = (), **kwargs: Any) -> change_flags:
        """Change flags temporarily: see `change_flags`.

        >>> with config.change_flags(floatX="float32"):
        ...     config.floatX
        'float32'
        """
        return change_flags(args, root=self, **kwargs)

    def _changed(self) -> dict[str, Any]:
        """Return the flags that the user has set or that differ from their default."""
        result = {}
        for name, param in self._params.items():
            given = name in self._in_flags or name.lower() in self._in_files
            plain = param.derive is None and not callable(param.default)
            if given or (plain and self._read(name) != param.parse(param.default)):
                result[name] = self._read(name)
        return result

    def __str__(self) -> str:
        blocks = []
        for name, param in self._params.items():
            doc = " ".join(param.doc.split())
            value = self._read(name)
            blocks.append(f"{name} ({param.takes})\n    Doc:  {doc}\n    Value:  {value}\n")
        return "\n".join(blocks)

    def __repr__(self) -> str:
        return f"<theano.config: {len(self._params)} flags>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # a singleton: a pickle or a copy is the same object
        return "config"


try:
    config = TheanoConfigParser()
except ValueError as error:
    error.__traceback__ = None  # the message names the flag and where it was set
    raise

ABOVE["keeps_every_frame"] = lambda: config.exception_verbosity == "high"

# Documented for tools that list flags; one ConfigParam per flag, in order of declaration.
_config_var_list = config._params.values()


@documented_in("theano.configparser")
def AddConfigVar(
    name: str,
    doc: str,
    configparam: ConfigParam,
    root: TheanoConfigParser = config,
    in_c_key: bool = True,
) -> None:
    """Declare a new flag, which THEANO_FLAGS and THEANORC can set like any other.

    Parameters
    ----------
    name
        The flag's name; dots separate sections.
    doc
        One or two sentences, shown by ``print(theano.config)``.
    configparam
        The kind of value: `StrParam`, `IntParam`, `FloatParam`, `BoolParam`, `EnumStr`...
    root
        The config object to add it to.
    in_c_key
        Whether compiled programs depend on it.

    >>> from theano._src.ground.params import IntParam
    >>> mine = TheanoConfigParser({"THEANO_FLAGS": "compile.wait=7"})
    >>> AddConfigVar("mylab.workers", "How many workers to start.", IntParam(4), root=mine)
    >>> mine.mylab.workers
    4
    """
    root._declare(name, doc, configparam, in_c_key)


@documented_in("theano.configparser")
def fetch_val_for_key(key: str) -> str:
    """Return the text for a flag from THEANO_FLAGS or a THEANORC file; KeyError if there is none.

    >>> fetch_val_for_key("no.such.flag")
    Traceback (most recent call last):
    ...
    KeyError: 'no.such.flag'
    """
    if key in config._in_flags:
        return config._in_flags[key]
    if key.lower() in config._in_files:
        return config._in_files[key.lower()][1]
    raise KeyError(key)


@documented_in("theano.configparser")
def get_config_hash() -> str:
    """Return a digest of the values of all flags that compiled programs may depend on.

    >>> get_config_hash() == get_config_hash()
    True
    """
    import hashlib

    names = sorted(name for name, param in config._params.items() if param.in_c_key)
    text = "\n".join(f"{name}={config._read(name)}" for name in names)
    return hashlib.sha256(text.encode()).hexdigest()


# by flag: the dict that holds its value, the key, whether it had a value, the value
_Old = dict[str, tuple[dict[str, Any], str, bool, Any]]


@documented_in("theano.configparser")
class change_flags(ContextDecorator):
    """Change flags inside a ``with`` block or a decorated function.

    Parameters
    ----------
    args
        A dict or pairs, for names with dots.
    **kwargs
        Flags by name, with ``__`` for a dot.

    >>> with change_flags({"profiling.n_apply": 5}, floatX="float32"):
    ...     config.profiling.n_apply, config.floatX
    (5, 'float32')
    """

    @short_traceback
    def __init__(
        self,
        args: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        *,
        root: TheanoConfigParser = config,
        **kwargs: Any,
    ) -> None:
        self._root = root
        self._changes = {**dict(args), **kwargs}
        for name in self._changes:
            root._resolve(name)
        self._undo: list[_Old] = []
        self._undone: _Old | None = None

    def __getstate__(self) -> dict[str, Any]:
        # models store these objects: a pickle or a copy has no changes to undo
        return {**vars(self), "_undo": [], "_undone": None}

    @short_traceback
    def __enter__(self) -> change_flags:
        undo: _Old = {}
        self._undo.append(undo)
        try:
            for name, value in self._changes.items():
                _, values, leaf = self._root._resolve(name)
                undo[name] = (values, leaf, leaf in values, values.get(leaf))
                self._root._assign(name, value)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        # some libraries call __exit__ twice: the second call repeats the first
        if self._undo:
            self._undone = self._undo.pop()
        elif self._undone is None:
            raise RuntimeError("change_flags gives flags back, got __exit__ before __enter__")
        for values, leaf, was_there, old in self._undone.values():
            if was_there:
                values[leaf] = old
            else:
                values.pop(leaf, None)
