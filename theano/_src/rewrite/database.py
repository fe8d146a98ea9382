"""Which rules a mode takes: tags, queries on them, and sets of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.rewrite.rule import BaseRule


@documented_in("theano.gof.optdb")
class Query:
    """A choice by tags: at least one included, all required, none excluded.

    Parameters
    ----------
    include, require, exclude : iterables of str
    subquery : dict, optional
        ``{name of a database or pass: Query}``: what is asked of that one instead of this.
    position_cutoff : float
        Passes at this position and after it are not run.

    >>> fast = Query(["fast_run"]).excluding("inplace")
    >>> fast.selects({"fast_run", "merge"}), fast.selects({"fast_run", "inplace"})
    (True, False)
    """

    def __init__(
        self,
        include: Iterable[str],
        require: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        subquery: Mapping[str, Query] | None = None,
        position_cutoff: float | None = None,
    ) -> None:
        for tags in (include, require, exclude):
            if isinstance(tags, str):
                raise TypeError(f"Query takes lists of tags, got the string {tags!r}")
        self.include = frozenset(include)
        self.require = frozenset(require or ())
        self.exclude = frozenset(exclude or ())
        self.subquery = dict(subquery or {})
        self.position_cutoff = float("inf") if position_cutoff is None else position_cutoff

    def _with(self, **changed: Any) -> Query:
        return Query(
            **{
                "include": self.include,
                "require": self.require,
                "exclude": self.exclude,
                "subquery": self.subquery,
                "position_cutoff": self.position_cutoff,
                **changed,
            }
        )

    def including(self, *tags: str) -> Query:
        """This query with more tags to include."""
        return self._with(include=self.include.union(tags))

    def excluding(self, *tags: str) -> Query:
        """This query with more tags to exclude."""
        return self._with(exclude=self.exclude.union(tags))

    def requiring(self, *tags: str) -> Query:
        """This query with more tags to require."""
        return self._with(require=self.require.union(tags))

    def selects(self, tags: Iterable[str]) -> bool:
        """Whether something with these tags is chosen."""
        have = frozenset(tags)
        return (
            not have.isdisjoint(self.include)
            and self.require <= have
            and have.isdisjoint(self.exclude)
        )

    def sub(self, name: str) -> Query:
        """What to ask of the database or pass called ``name``."""
        return self.subquery.get(name, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.include, self.require, self.exclude, self.position_cutoff))

    def __repr__(self) -> str:
        parts = [f"include={sorted(self.include)}"]
        for name in ("require", "exclude"):
            if getattr(self, name):
                parts.append(f"{name}={sorted(getattr(self, name))}")
        return f"Query({', '.join(parts)})"


class RuleSet:
    """Rules, in order, each name once; queries choose among them."""

    def __init__(self, rules: Iterable[BaseRule] = ()) -> None:
        self._rules: dict[str, BaseRule] = {}
        for rule in rules:
            self.add(rule)

    def add(self, rule: BaseRule) -> None:
        """Append a rule; two rules of one name are an error."""
        have = self._rules.setdefault(rule.name, rule)
        if have is not rule:
            raise ValueError(f"two rules are called {rule.name}: {have!r} and {rule!r}")

    def select(self, query: Query) -> tuple[BaseRule, ...]:
        """The rules that a query chooses."""
        return tuple(rule for rule in self if query.selects(rule.tags))

    def in_group(self, group: str) -> tuple[BaseRule, ...]:
        """The rules that name a group as their own or among their tags."""
        return tuple(rule for rule in self if group in rule.tags)

    def __getitem__(self, name: str) -> BaseRule:
        return self._rules[name]

    def __iter__(self) -> Iterator[BaseRule]:
        return iter(self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)
