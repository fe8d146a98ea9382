"""ProfileMode: a mode that times its functions, with the summaries of Theano's old documentation.

That documentation recommends ``config.profile`` instead; the figures are the same.
"""

from __future__ import annotations

import atexit
from typing import Any

from theano._src.compile.mode import Mode
from theano._src.compile.profile.node_rows import (
    Row,
    by_class,
    by_op,
    longest_first,
    merged,
    total,
)
from theano._src.compile.profile.profiling import ProfileStats
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in

_APPLY = (
    "Apply-wise summary: <fraction of local_time spent at this position> "
    "(<Apply position>, <Apply Op name>)"
)
_OPS = "Op-wise summary: <fraction of local_time spent on this kind of Op> <Op name>"
_TYPES = "Type-Op-wise summary: <fraction of local_time spent on this class of Op> <Op class>"
_STAR = "(*) Op is running a c implementation"


@documented_in("theano.compile.profilemode")
class ProfileMode(Mode):
    """A mode that times all functions compiled with it, for ``print_summary``.

    Parameters
    ----------
    linker : str, Linker or None
    optimizer : str, Query, Optimizer or None
        Both as for ``Mode``.

    >>> import theano, theano.tensor as T
    >>> mode = theano.ProfileMode(optimizer="fast_run", linker=theano.gof.OpWiseCLinker())
    >>> x = T.dvector("x")
    >>> f = theano.function([x], T.exp(x), mode=mode)
    >>> _ = f([1, 2])
    >>> mode.print_summary()
    ProfileMode.print_summary()
    ---------------------------
    <BLANKLINE>
    local_time ... (Time spent running thunks)
    Apply-wise summary: <fraction of local_time spent at this position> (<Apply position>, ...)
            0...   0       Elemwise{exp,no_inplace}
       ... (remaining 0 Apply instances account for 0.00 of the runtime)
    Op-wise summary: <fraction of local_time spent on this kind of Op> <Op name>
            0...   * Elemwise{exp,no_inplace}
       ... (remaining 0 Ops account for 0.00 of the runtime)
    (*) Op is running a c implementation
    Type-Op-wise summary: <fraction of local_time spent on this class of Op> <Op class>
            0...   * <class 'theano.tensor.elemwise.Elemwise'>
       ... (remaining 0 Op classes account for 0.00 of the runtime)
    (*) Op is running a c implementation
    """

    message: Any

    def __init__(self, linker: Any = None, optimizer: Any = "default", message: Any = None) -> None:
        super().__init__(linker, optimizer)
        self.message = message

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self.profiles: list[ProfileStats] = []
        self.message = None

    def profile_for(self, name: str | None) -> ProfileStats:
        """Create the profile of a new function."""
        stats = ProfileStats(atexit_print=False, flag_time_thunks=True, message=name)
        self.profiles.append(stats)
        return stats

    def _with(self, query: Any) -> ProfileMode:
        return self._sharing(ProfileMode(self.provided_linker, query))

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> ProfileMode:
        """Return a copy with its own figures."""
        plain = super().clone(link_kwargs, optimizer, **kwargs)
        return ProfileMode(plain.provided_linker, plain.provided_optimizer, self.message)

    def _sharing(self, other: ProfileMode) -> ProfileMode:
        # flags that add or drop rewrites create a mode for each function; all share the figures
        other.profiles, other.message = self.profiles, self.message
        return other

    # figures

    def rows(self) -> list[Row]:
        """Return a row for each node of all functions, the slowest first."""
        return longest_first(row for profile in self.profiles for row in profile.rows())

    @property
    def local_time(self) -> float:
        """Seconds in ``Function.fn`` of all functions: nodes, and the overhead of running them."""
        return sum(profile.vm_call_time for profile in self.profiles)

    @property
    def call_time(self) -> float:
        """Seconds in calls of all functions."""
        return sum(profile.fct_call_time for profile in self.profiles)

    @property
    def fct_call(self) -> dict[str | None, int]:
        """Number of calls by name of the function."""
        result: dict[str | None, int] = {}
        for profile in self.profiles:
            result[profile.message] = result.get(profile.message, 0) + profile.fct_callcount
        return result

    @property
    def apply_time(self) -> dict[Any, float]:
        """Seconds by Apply node."""
        return {row.node: row.seconds for row in self.rows()}

    # texts

    def print_summary(
        self, n_apply_to_print: int | None = None, n_ops_to_print: int | None = None
    ) -> None:
        """Print three tables for all functions of this mode: by node, by op, by class of ops.

        Parameters
        ----------
        n_apply_to_print, n_ops_to_print : int, optional
            The number of rows; by default ``config.ProfileMode.n_apply_to_print`` and
            ``config.ProfileMode.n_ops_to_print``.
        """
        n_apply = (
            config.ProfileMode.n_apply_to_print if n_apply_to_print is None else n_apply_to_print
        )
        n_ops = config.ProfileMode.n_ops_to_print if n_ops_to_print is None else n_ops_to_print
        rows = self.rows()
        whole = self.local_time
        lines = [
            "ProfileMode.print_summary()",
            "---------------------------",
            "",
            f"local_time {whole} (Time spent running thunks)",
            _APPLY,
        ]
        lines += [
            f"        {_share(row.seconds, whole):.3f}   {row.position:<7} {row.op_name}"
            for row in rows[:n_apply]
        ]
        lines.append(_tail(len(rows[n_apply:]), total(rows[n_apply:]), whole, "Apply instances"))
        for title, key, what in ((_OPS, by_op, "Ops"), (_TYPES, by_class, "Op classes")):
            result = merged(rows, key)
            lines.append(title)
            lines += [
                f"        {_share(row.seconds, whole):.3f}   {_mark(row)} {row.name}"
                for row in result[:n_ops]
            ]
            lines += [_tail(len(result[n_ops:]), total(result[n_ops:]), whole, what), _STAR]
        print("\n".join(lines))
        if config.ProfileMode.profile_memory:
            self._print_memory(n_apply)

    def _print_memory(self, n: int) -> None:
        import sys

        for profile in self.profiles:
            print(f"Theano fct: {profile.message}")
            with config.change_flags(
                {"profiling.min_memory_size": config.ProfileMode.min_memory_size}
            ):
                profile.summary_memory(sys.stdout, n)

    def print_diff_summary(
        self,
        other: ProfileMode,
        n_apply_to_print: int | None = None,
        n_ops_to_print: int | None = None,
    ) -> None:
        """Print the time of this mode's functions minus that of another's, by op and by class.

        Parameters
        ----------
        other : ProfileMode
        n_apply_to_print : int, optional
            Ignored: nodes of different functions cannot be compared.
        n_ops_to_print : int, optional

        >>> import theano, theano.tensor as T
        >>> x = T.dvector("x")
        >>> modes = theano.ProfileMode("py"), theano.ProfileMode("numpy")
        >>> for mode in modes:
        ...     _ = theano.function([x], T.exp(x), mode=mode)([1, 2])
        >>> modes[0].print_diff_summary(modes[1])
        ProfileMode.print_diff_summary()
        --------------------------------
        <BLANKLINE>
        local_time ... (Time spent running thunks, less that of the other)
        Op-wise summary: <seconds more on this kind of Op> <Op name>
        ...
        """
        n_ops = config.ProfileMode.n_ops_to_print if n_ops_to_print is None else n_ops_to_print
        mine, its = self.rows(), other.rows()
        lines = [
            "ProfileMode.print_diff_summary()",
            "--------------------------------",
            "",
            f"local_time {self.local_time - other.local_time} "
            "(Time spent running thunks, less that of the other)",
        ]
        for title, key in (
            ("Op-wise summary: <seconds more on this kind of Op> <Op name>", by_op),
            ("Type-Op-wise summary: <seconds more on this class of Op> <Op class>", by_class),
        ):
            more: dict[Any, tuple[str, float]] = {}
            for rows, sign in ((mine, 1), (its, -1)):
                for row in merged(rows, key):
                    name, known = more.get(row.key, (row.name, 0.0))
                    more[row.key] = (name, known + sign * row.seconds)
            ranked = sorted(more.values(), key=lambda pair: -abs(pair[1]))
            lines.append(title)
            lines += [f"        {seconds:+.3e}   {name}" for name, seconds in ranked[:n_ops]]
            rest = sum(seconds for _, seconds in ranked[n_ops:])
            lines.append(f"   ... (remaining {len(ranked[n_ops:])} account for {rest:+.3e}s)")
        print("\n".join(lines))


def _share(seconds: float, whole: float) -> float:
    return seconds / whole if whole else 0.0


def _tail(n: int, seconds: float, whole: float, what: str) -> str:
    return f"   ... (remaining {n} {what} account for {_share(seconds, whole):.2f} of the runtime)"


def _mark(row: Row) -> str:
    return " " if "Py" in row.kinds else "*"


#: the mode named ``ProfileMode``, once it is created
_named: list[ProfileMode] = []


def named_profile_mode() -> ProfileMode:
    """The mode named ``ProfileMode``: one for all functions; its summary is printed at exit."""
    if not _named:
        _named.append(ProfileMode())
        atexit.register(_print_named)
    return _named[0]


def _print_named() -> None:
    if any(profile.fct_callcount for profile in _named[0].profiles):
        _named[0].print_summary()
