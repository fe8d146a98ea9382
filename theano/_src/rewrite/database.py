"""The choice of rewrites for a mode: databases of rewrites, and queries by tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.rewrite.driver import Restore
from theano._src.rewrite.equilibrium import EquilibriumOptimizer
from theano._src.rewrite.local import LocalOptGroup, as_rule
from theano._src.rewrite.navigate import TopoOptimizer
from theano._src.rewrite.passes import Optimizer
from theano._src.rewrite.sequence import SeqOptimizer


@documented_in("theano.gof.optdb")
class Query:
    """A selection by tags: at least one included, all required, none excluded.

    Parameters
    ----------
    include, require, exclude : iterables of str
    subquery : dict, optional
        ``{name of a database or pass: Query}``: the query to use there instead of this one.
    position_cutoff : float
        Passes at or after this position are not run.
    extra_optimizations : sequence of (Optimizer, float), optional
        Passes that are in no database, each with its position.

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
        extra_optimizations: Iterable[tuple[Any, float]] | None = None,
    ) -> None:
        for tags in (include, require, exclude):
            if isinstance(tags, str):
                raise TypeError(f"Query takes lists of tags, got the string {tags!r}")
        self.include = frozenset(include)
        self.require = frozenset(require or ())
        self.exclude = frozenset(exclude or ())
        self.subquery = dict(subquery or {})
        self.position_cutoff = float("inf") if position_cutoff is None else position_cutoff
        self.extra_optimizations = tuple(extra_optimizations or ())

    def _with(self, **changed: Any) -> Query:
        return Query(
            **{
                "include": self.include,
                "require": self.require,
                "exclude": self.exclude,
                "subquery": self.subquery,
                "position_cutoff": self.position_cutoff,
                "extra_optimizations": self.extra_optimizations,
                **changed,
            }
        )

    def including(self, *tags: str) -> Query:
        """Return this query with more tags to include."""
        return self._with(include=self.include.union(tags))

    def excluding(self, *tags: str) -> Query:
        """Return this query with more tags to exclude."""
        return self._with(exclude=self.exclude.union(tags))

    def requiring(self, *tags: str) -> Query:
        """Return this query with more tags to require."""
        return self._with(require=self.require.union(tags))

    def register(self, *optimizations: tuple[Any, float]) -> Query:
        """Return this query with passes that are in no database: pairs (pass, position)."""
        for given in optimizations:
            if not (isinstance(given, tuple) and len(given) == 2):
                raise TypeError(f"register takes pairs (pass, position), got {given!r}")
        return self._with(extra_optimizations=self.extra_optimizations + optimizations)

    def selects(self, tags: Iterable[str]) -> bool:
        """Whether this query selects a rewrite with these tags."""
        have = frozenset(tags)
        return (
            not have.isdisjoint(self.include)
            and self.require <= have
            and have.isdisjoint(self.exclude)
        )

    def sub(self, name: str) -> Query:
        """Return the query to use for the database or pass called ``name``."""
        result = self.subquery.get(name, self)
        # extra passes belong to the outermost sequence
        return result._with(extra_optimizations=()) if result.extra_optimizations else result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        extra = tuple((id(opt), at) for opt, at in self.extra_optimizations)
        return hash((self.include, self.require, self.exclude, self.position_cutoff, extra))

    def __repr__(self) -> str:
        parts = [f"include={sorted(self.include)}"]
        for name in ("require", "exclude"):
            if getattr(self, name):
                parts.append(f"{name}={sorted(getattr(self, name))}")
        return f"Query({', '.join(parts)})"


#: counts registrations in all databases: cached query results are valid until the next one
_registrations = 0


@documented_in("theano.gof.optdb")
class DB:
    """Rewrites by name, with tags; a query selects from them.

    >>> import theano, theano.tensor as T
    >>> db = theano.gof.EquilibriumDB()
    >>> db.register("no_neg", theano.gof.OpRemove(T.neg), "fast_run", "unwise")
    >>> [rule.name for rule in db.query(theano.gof.Query(["unwise"])).rules]
    ['no_neg']
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self._objects: dict[str, Any] = {}
        self._tags: dict[str, frozenset[str]] = {}
        self._answers: dict[Any, Any] = {}
        self._answered_at = -1

    @property
    def _names(self) -> set[str]:
        return set(self._objects)

    @property
    def __db__(self) -> dict[str, set[Any]]:
        """A dict from each tag to its rewrites."""
        result: dict[str, set[Any]] = {}
        for name, tags in self._tags.items():
            for tag in tags:
                result.setdefault(tag, set()).add(self._objects[name])
        return result

    def register(self, name: str, obj: Any, *tags: str, **options: Any) -> None:
        """Add a rewrite or another database, under a name and tags.

        Parameters
        ----------
        name : str
            Unique in this database.
        obj : Optimizer, LocalOptimizer, rule or DB
        *tags : str
            Tags that select it, in addition to its name.
        use_db_name_as_tag : bool
            Whether the name of this database is also a tag; True by default.
        """
        if name in self._objects:
            raise ValueError(
                f"a rewrite called {name} is registered already: {self._objects[name]}; "
                "give this one another name"
            )
        words = {name, *tags}
        if options.pop("use_db_name_as_tag", True) and self.name is not None:
            words.add(self.name)
        if options:
            raise TypeError(
                f"{type(self).__name__}.register takes no {', '.join(options)}, got it for {name}"
            )
        if getattr(obj, "name", None) is None and hasattr(obj, "name"):
            obj.name = name
        self._objects[name] = self._accepted(name, obj, words)
        self._tags[name] = frozenset(words)
        _count_registration()

    def _accepted(self, name: str, obj: Any, tags: set[str]) -> Any:
        return obj

    def remove(self, name: str) -> None:
        """Remove the rewrite called ``name``."""
        if name not in self._objects:
            raise KeyError(f"no rewrite called {name!r} is registered in {self.name}")
        del self._objects[name], self._tags[name]
        _count_registration()

    def add_tags(self, name: str, *tags: str) -> None:
        """Add tags to the rewrite called ``name``."""
        self._tags[name] = self._tags[name] | set(tags)
        _count_registration()

    def remove_tags(self, name: str, *tags: str) -> None:
        """Remove tags from the rewrite called ``name``."""
        self._tags[name] = self._tags[name] - set(tags)
        _count_registration()

    def query(self, *tags: Any, **subqueries: Query) -> Any:
        """Select by a Query, or by strings ``'+include'``, ``'&require'``, ``'-exclude'``."""
        query = _as_query(tags, subqueries)
        if self._answered_at != _registrations:
            self._answers, self._answered_at = {}, _registrations
        result = self._answers.get(query)
        if result is None:
            result = self._answers[query] = self._answer(query)
        return result

    def _answer(self, query: Query) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._answer")

    def _chosen(self, query: Query) -> Iterator[tuple[str, Any]]:
        """Yield names and rewrites that a query selects; a nested database is queried."""
        for name, obj in self._objects.items():
            if query.selects(self._tags[name]):
                yield name, obj.query(query.sub(name)) if isinstance(obj, DB) else obj

    def __getitem__(self, name: str) -> Any:
        if name in self._objects:
            return self._objects[name]
        results = [n for n, tags in self._tags.items() if name in tags]
        if len(results) != 1:
            raise KeyError(f"{len(results)} rewrites are called or tagged {name!r}: {results}")
        return self._objects[results[0]]

    def __contains__(self, name: object) -> bool:
        return name in self._objects

    def print_summary(self, stream: Any = None) -> None:
        """Print the names, each with its tags."""
        for name, tags in self._tags.items():
            print(f"{name}: {' '.join(sorted(tags - {name}))}", file=stream)


def _count_registration() -> None:
    global _registrations
    _registrations += 1


def _as_query(tags: tuple[Any, ...], subqueries: dict[str, Query]) -> Query:
    if tags and isinstance(tags[0], Query):
        if len(tags) > 1 or subqueries:
            raise TypeError(
                "query takes one Query, or words, not both; Query.including and the like change one"
            )
        return tags[0]
    cutoff: Any = subqueries.pop("position_cutoff", None)
    for tag in tags:
        if not isinstance(tag, str) or tag[:1] not in ("+", "&", "-"):
            raise ValueError(
                f"query takes a Query, or words that begin with +, & or -, got {tag!r}"
            )
    by = {sign: [t[1:] for t in tags if t[0] == sign] for sign in "+&-"}
    return Query(by["+"], by["&"], by["-"], subqueries, cutoff)


@documented_in("theano.gof.optdb")
class EquilibriumDB(DB):
    """Local rewrites that are applied together until none of them fires."""

    def __init__(
        self,
        ignore_newtrees: bool = True,
        tracks_on_change_inputs: bool = False,
        name: str | None = None,
        restore: Restore | None = None,
    ) -> None:
        super().__init__(name)
        self.restore = restore
        self._final: set[str] = set()

    def register(self, name: str, obj: Any, *tags: str, **options: Any) -> None:
        """As for DB; a rewrite with ``final_opt=True`` runs after the others."""
        last = options.pop("final_opt", False)
        options.pop("cleanup", None)
        super().register(name, obj, *tags, **options)
        if last:
            self._final.add(name)

    def _accepted(self, name: str, obj: Any, tags: set[str]) -> Any:
        return (
            obj if isinstance(obj, (DB, Optimizer)) else as_rule(obj, name, self.name or "", tags)
        )

    def _answer(self, query: Query) -> EquilibriumOptimizer:
        chosen = [(name, o) for name, obj in self._chosen(query) for o in _opened(obj)]
        return EquilibriumOptimizer(
            [o for name, o in chosen if name not in self._final],
            final_optimizers=[
                o if isinstance(o, Optimizer) else TopoOptimizer(o)
                for name, o in chosen
                if name in self._final
            ],
            name=self.name or "EquilibriumOptimizer",
            restore=self.restore,
        )


def _opened(obj: Any) -> list[Any]:
    return list(obj.optimizers) if isinstance(obj, EquilibriumOptimizer) else [obj]


@documented_in("theano.gof.optdb")
class SequenceDB(DB):
    """Passes with positions; a query returns them in order.

    >>> import theano
    >>> theano.compile.optdb.__position__["canonicalize"]
    1.0
    """

    def __init__(self, failure_callback: Any = SeqOptimizer.warn, name: str | None = None) -> None:
        super().__init__(name)
        self.failure_callback = failure_callback
        self.__position__: dict[str, float] = {}

    def register(  # type: ignore[override]
        self, name: str, obj: Any, position: float | str, *tags: str, **options: Any
    ) -> None:
        """As for DB, at a position: a number, ``'first'`` or ``'last'``."""
        if not isinstance(obj, (DB, Optimizer)):
            raise TypeError(
                f"a SequenceDB takes Optimizers and databases, got {obj!r} as {name}; wrap a "
                "local optimizer in TopoOptimizer or register it in an EquilibriumDB"
            )
        there = self.__position__.values()
        if position == "last":
            position = max(there, default=0) + 1
        elif position == "first":
            position = min(there, default=0) - 1
        if not isinstance(position, (int, float)):
            raise TypeError(f"the position of {name} is a number, got {position!r}")
        super().register(name, obj, *tags, **options)
        self.__position__[name] = float(position)

    def _answer(self, query: Query) -> SeqOptimizer:
        at = self.__position__
        chosen = [(at[name], name, obj) for name, obj in self._chosen(query) if not _is_empty(obj)]
        chosen += [(float(where), str(opt), opt) for opt, where in query.extra_optimizations]
        chosen = [each for each in chosen if each[0] < query.position_cutoff]
        chosen.sort(key=lambda each: each[0])  # stable: ties stay in order of registration
        return SeqOptimizer(
            [obj for _, _, obj in chosen],
            failure_callback=self.failure_callback,
            names=[name for _, name, _ in chosen],
            positions=[where for where, _, _ in chosen],
            again=lambda how, tags: self.query(getattr(query, how)(*tags)),
        )

    def print_summary(self, stream: Any = None) -> None:
        """Print the names in order, each with its position and tags."""
        for name in sorted(self._objects, key=self.__position__.__getitem__):
            tags = " ".join(sorted(self._tags[name] - {name}))
            print(f"{self.__position__[name]:6g} {name}: {tags}", file=stream)


def _is_empty(obj: Any) -> bool:
    return isinstance(obj, EquilibriumOptimizer) and not (obj.rules or obj.passes)


@documented_in("theano.gof.optdb")
class LocalGroupDB(DB):
    """Local rewrites that are tried in order; the first that fires is used."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._position: dict[str, float] = {}

    def register(self, name: str, obj: Any, *tags: str, **options: Any) -> None:
        """As for DB; ``position`` is a number or ``'last'`` (the default)."""
        position = options.pop("position", "last")
        super().register(name, obj, *tags, **options)
        last = max(self._position.values(), default=0) + 1
        self._position[name] = last if position == "last" else float(position)

    def _answer(self, query: Query) -> LocalOptGroup:
        chosen = sorted(self._chosen(query), key=lambda pair: self._position[pair[0]])
        return LocalOptGroup(*[obj for _, obj in chosen])


@documented_in("theano.gof.optdb")
class TopoDB(DB):
    """The rewrites of another database, applied once to every node."""

    def __init__(self, db: Any, order: str = "in_to_out", **options: Any) -> None:
        super().__init__()
        self.db, self.order, self.options = db, order, options

    def _answer(self, query: Query) -> TopoOptimizer:
        return TopoOptimizer(self.db.query(query), self.order, **self.options)


@documented_in("theano.gof.optdb")
class ProxyDB(DB):
    """A reference to another database, to register it a second time."""

    def __init__(self, db: DB) -> None:
        if not isinstance(db, DB):
            raise TypeError(f"ProxyDB takes a database, got {db!r}")
        super().__init__()
        self.db = db

    def _answer(self, query: Query) -> Any:
        return self.db.query(query)
