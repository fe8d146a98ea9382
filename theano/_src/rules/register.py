"""Register one's own rewrites in a pass of the pipeline, as documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.rewrite.rule import BaseRule
from theano._src.rules.pipeline import PASSES, optdb

GROUPS = {p.name for p in PASSES if p.run is None}


def _registrar(group: str, *default: str) -> Callable[..., Any]:
    def register(lopt: Any, *tags: str, **kwargs: Any) -> Any:
        if isinstance(lopt, str):
            # used as a decorator with tags
            return lambda inner: register(inner, lopt, *tags, **kwargs)
        name = kwargs.pop("name", None) or getattr(lopt, "__name__", None)
        words = {*default, *tags}
        if isinstance(lopt, BaseRule):
            # a rule has its own tags; excluding another pass does not exclude it from this one
            name, words = name or lopt.name, {*default[1:], *tags, *lopt.tags} - GROUPS
        optdb[group].register(name or str(lopt), lopt, *words, **kwargs)
        return lopt

    register.__name__ = register.__qualname__ = f"register_{group}"
    register.__doc__ = f"""Let a local optimizer or a rule run in the pass ``{group}``.

    Usable above ``local_optimizer``, with or without tags; returns what it is given.

    Parameters
    ----------
    lopt : LocalOptimizer or rule
    *tags : str
        Words that select it, besides its name and ``{default[0]}``.
    name : str, optional

    >>> import theano, theano.tensor as T
    >>> rule = theano.gof.OpRemove(T.floor)
    >>> rule is register_{group}(rule, name="no_floor_{group}")
    True
    >>> remove("{group}", "no_floor_{group}")
    """
    register.__module__ = __name__
    return documented_in("theano.tensor.opt")(register)


register_canonicalize = _registrar("canonicalize", "fast_run")
register_stabilize = _registrar("stabilize", "fast_run")
register_specialize = _registrar("specialize", "fast_run")
register_uncanonicalize = _registrar("uncanonicalize", "fast_run")
register_specialize_device = _registrar("specialize_device", "fast_run")
register_useless = _registrar("canonicalize", "fast_run", "local_useless")
