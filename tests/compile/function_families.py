"""Random lives of functions that were copied, swapped, pickled and saved, beside a model in NumPy.

A family begins with functions that are compiled from shared variables. Each step calls one of its
members, sets a value, or makes new members: by copy, deepcopy, pickle or a file. The model has the
same functions as formulas of NumPy on a dict of values, and says what every call returns and what
every variable holds after every step.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from tests.compile.function_formulas import LENGTH, OUTPUTS, PRODUCT, STREAM, UPDATES, Formula
from theano.tensor.shared_randomstreams import RandomStreams

MODES: dict[str, Callable[[], Any]] = {
    "numpy": lambda: theano.Mode("numpy"),
    "default": lambda: None,
    "FAST_COMPILE": lambda: "FAST_COMPILE",
    "py": lambda: theano.Mode("py"),
    "vm": lambda: theano.Mode("vm"),
    "xla": lambda: theano.Mode("xla"),
    # the default mode, with functions that move to XLA between two calls
    "moving": lambda: None,
}


# the model


@dataclass(eq=False)
class Cell:
    """One value that several variables may hold."""

    value: Any


@dataclass(eq=False)
class Name:
    """A shared variable of the model, and the real one."""

    cell: Cell
    real: Any


@dataclass(eq=False)
class Member:
    """A function of the model, and the real one.

    ``names`` are its shared variables by slot. ``state`` is the value of the slot s: its own, or
    that of another function if it is ``bound``. ``default`` is the value of the slot d, ``held``
    the one that the next call takes.
    """

    real: Any
    outputs: list[Formula]
    updates: dict[str, Formula]
    names: dict[str, Name]
    state: Cell
    bound: bool
    default: Any
    held: Any

    @property
    def has_state(self) -> bool:
        return self.bound or "s" in self.updates

    def call(self, x: Any) -> list[Any]:
        """What a call returns; it replaces what is updated."""
        env = {slot: name.cell.value for slot, name in self.names.items()}
        env |= {"x": x, "d": self.held, "s": self.state.value, "g": 2 * env["b"]}
        results = [copy.deepcopy(out.numpy(env)) for out in self.outputs]
        new = {slot: copy.deepcopy(f.numpy(env)) for slot, f in self.updates.items()}
        for slot, value in new.items():
            cell = self.state if slot == "s" else self.names[slot].cell
            cell.value = value
        self.held = self.default
        return results

    def moved(self, real: Any, names: dict[Name, Name], cells: dict[Cell, Cell]) -> Member:
        """The member with other variables and other cells."""
        return replace(
            self,
            real=real,
            names={slot: names.get(name, name) for slot, name in self.names.items()},
            state=cells.get(self.state, self.state),
        )

    def updates_one_twice(self) -> bool:
        cells = [self.names[slot].cell for slot in self.updates if slot != "s"]
        return len(set(cells)) < len(cells)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal up to rounding; states of generators are equal exactly."""
    if isinstance(a, np.random.RandomState):
        first, second = a.get_state(), b.get_state()
        return np.array_equal(first[1], second[1]) and first[2:] == second[2:]
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-11)


class Wrong(AssertionError):
    """A function did what the model does not do."""


# families


class Family:
    """Functions, their variables, and the model of both.

    Parameters
    ----------
    seed : int
    mode : str
        One of ``MODES``.
    folder : path
        Where files are written.
    """

    def __init__(self, seed: int, mode: str, folder: Path) -> None:
        self.random = np.random.default_rng(seed)
        self.mode, self.folder = mode, folder
        self.members: list[Member] = []
        self.given_out: list[tuple[Any, Any]] = []
        self.log = [f"seed {seed}, mode {mode}"]
        a, b, spare = (self._shared() for _ in range(3))
        clone = Name(a.cell, a.real.clone())
        self.names = [a, b, spare, clone]
        self.first = {"a": a, "b": b, "c": clone}
        for _ in range(int(self.random.integers(1, 3))):
            self.members.append(self._compiled())

    def live(self, steps: int) -> None:
        """Take steps; raise ``Wrong`` at the first that goes wrong, with all that came before."""
        doings = [self._call, self._set_shared, self._set_own, self._copy, self._move]
        for _ in range(steps):
            take = self.random.choice(doings, p=[0.48, 0.1, 0.07, 0.2, 0.15])  # type: ignore[arg-type]
            try:
                take()
                if self._chance(0.5):
                    self._check()
            except Exception as error:
                raise Wrong("\n".join([*self.log, repr(error)])) from error
        try:
            self._check()
        except AssertionError as error:
            raise Wrong("\n".join([*self.log, repr(error)])) from error

    # choices

    def _vector(self) -> Any:
        return self.random.uniform(-1, 1, LENGTH).round(3)

    def _shared(self) -> Name:
        value = self._vector()
        return Name(Cell(value.copy()), theano.shared(value))

    def _one(self, found: Sequence[Any]) -> Any:
        return found[int(self.random.integers(len(found)))]

    def _some(self, found: Sequence[Any], most: int) -> list[Any]:
        order = self.random.permutation(len(found))
        return [found[int(i)] for i in order[: int(self.random.integers(1, most + 1))]]

    def _chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    def _number_of(self, member: Member) -> int:
        return self.members.index(member)

    # beginning

    def _compiled(self) -> Member:
        """A function of the first variables, perhaps of the state of another function as well."""
        names = dict(self.first)
        stream = RandomStreams(int(self.random.integers(1000))).uniform((LENGTH,))
        outputs = [self._one(OUTPUTS) for _ in range(int(self.random.integers(0, 4)))]
        chosen = [slot for slot in ("b", "a", "s") if self._chance(0.6)]
        updates = {slot: self._one(UPDATES[slot]) for slot in chosen}
        by_default = self._chance(0.3)
        if by_default:
            # a default update is that of a variable which is used
            outputs.append(PRODUCT)
        if any("r" in out.slots for out in outputs):
            names["r"] = Name(Cell(stream.rng.get_value()), stream.rng)
            self.names.append(names["r"])
            updates["r"] = STREAM
        x, d, s, g = (T.dvector(name) for name in "xdsg")
        env = {slot: name.real for slot, name in names.items()}
        env |= {"x": x, "d": d, "s": s, "g": g, "draw": stream, "moved": stream.update[1]}
        for slot in "ab":
            # a loop would take default updates of variables that its step reads
            if hasattr(env[slot], "default_update"):
                del env[slot].default_update
        results: Any = [out.theano(env) for out in outputs]
        new = {slot: f.theano(env) for slot, f in updates.items()}
        pairs = [(env[slot], value) for slot, value in new.items() if slot != "s"]
        for variable, value in pairs if by_default else ():
            variable.default_update = value
        others = [m for m in self.members if m.has_state]
        bound = bool(others) and "s" not in new and self._chance(0.7)
        if bound:
            other = self._one(others)
            state, held = other.state, other.real.container["s"]
        else:
            held = self._vector()
            state = Cell(held.copy())
        default, mutable = self._vector(), self._chance(0.3)
        form = self._one(["list", "dict", "one"])
        if form == "dict":
            results = {f"result{i}": result for i, result in enumerate(results)}
        elif form == "one" and len(results) < 2:
            results = results[0] if results else None
        real = theano.function(
            [
                x,
                theano.In(d, value=default.copy(), mutable=mutable),
                theano.In(s, value=held, update=new.get("s")),
            ],
            results,
            updates=None if by_default else pairs,
            no_default_updates=not by_default,
            givens={g: env["b"] * 2},
            mode=MODES[self.mode](),
            on_unused_input="ignore",
        )
        # a function may declare one of two variables that hold one value
        declared = [name for name in self.first.values() if name.real in real.get_shared()]
        for slot, other in (("a", "c"), ("c", "a")):
            if names[slot] not in declared:
                names[slot] = names[other]
        known = [OUTPUTS.index(out) if out in OUTPUTS else "product" for out in outputs]
        self.log.append(
            f"compiled: outputs {known}, "
            f"updates {[(k, UPDATES[k].index(f)) for k, f in updates.items() if k != 'r']}, "
            f"{by_default=}, {bound=}, {mutable=}, {form}"
        )
        return Member(real, outputs, updates, names, state, bound, default, default)

    # steps

    def _call(self) -> None:
        member = self._one(self.members)
        x, given = self._vector(), {}
        if self._chance(0.2):
            given["d"] = member.held = self._vector()
        if "s" in member.updates and not member.bound and self._chance(0.15):
            given["s"] = self._vector()
            member.state.value = given["s"].copy()
        self.log.append(f"call {self._number_of(member)} {sorted(given)}")
        if self.mode == "moving":
            self._move_to_xla(member.real.fn)
        before = x.copy()
        got = member.real(x, **copy.deepcopy(given))
        want = member.call(x)
        assert same(x, before), "an argument was overwritten"
        if isinstance(got, dict):
            assert list(got) == [f"result{i}" for i in range(len(want))]
            got = list(got.values())
        elif not isinstance(got, list):
            got = [] if got is None else [got]
        for i, (one, other) in enumerate(zip(got, want, strict=True)):
            assert same(one, other), f"output {i} is {one}, not {other}"
            self.given_out.append((one, copy.deepcopy(one)))

    def _move_to_xla(self, program: Any) -> None:
        if not hasattr(program, "policy"):
            return  # there is nothing to compute
        # else it would not even count calls on so few numbers
        program._most = 0
        for key, record in program.policy.records.items():
            if not record.on_xla and self._chance(0.4):
                self.log.append("to XLA")
                program.policy.promote(key)

    def _set_shared(self) -> None:
        name = self._one([n for n in self.names if not is_random(n.cell.value)])
        value = self._vector()
        self.log.append(f"set_value of variable {self.names.index(name)}")
        name.real.set_value(value)
        name.cell.value = value

    def _set_own(self) -> None:
        member, value = self._one(self.members), self._vector()
        slot = "s" if member.has_state and self._chance(0.6) else "d"
        self.log.append(f"set {slot} of {self._number_of(member)}")
        member.real[slot] = value.copy()
        if slot == "s":
            member.state.value = value
        else:
            member.held = value

    def _copy(self) -> None:
        member = self._one(self.members)
        options: dict[str, Any] = {"share_memory": self._chance(0.5)}
        swaps: dict[Name, Name] = {}
        known = {id(name.real): name for name in self.names}
        mine = [known[id(v)] for v in member.real.get_shared()]
        if mine and self._chance(0.6):
            for name in self._some(mine, 2):
                kind = is_random(name.cell.value)
                fits = [n for n in self.names if is_random(n.cell.value) == kind]
                swaps[name] = self._one(fits)
            options["swap"] = {old.real: new.real for old, new in swaps.items()}
        made = member.moved(None, swaps, {})
        if not member.bound:
            made.state = Cell(copy.deepcopy(member.state.value))
        if self._chance(0.35):
            options["delete_updates"] = True
            made.updates = {}
        pairs = [(self.names.index(a), self.names.index(b)) for a, b in swaps.items()]
        self.log.append(f"copy {self._number_of(member)} {pairs} {sorted(options)}")
        try:
            made.real = member.real.copy(**options)
        except ValueError as error:
            assert made.updates_one_twice(), f"refused: {error}"
            return
        assert not made.updates_one_twice(), "two updates of one variable"
        self._add([made])

    def _move(self) -> None:
        """Some members, with their variables, to others that have nothing in common with them."""
        members = self._some(self.members, 3)
        names = list({name: None for m in members for name in m.names.values()})
        how = self._one([self._deepcopied, self._pickled, self._through_a_file])
        self.log.append(f"{how.__name__} {[self._number_of(m) for m in members]}")
        try:
            made = how([m.real for m in members], [name.real for name in names])
        except TypeError as error:
            held = [m.state for m in members if m.has_state]
            assert how == self._through_a_file and len(set(held)) < len(held), f"refused: {error}"
            return
        functions, variables = made
        old = {name.cell: None for name in names} | {m.state: None for m in members}
        cells = {cell: Cell(copy.deepcopy(cell.value)) for cell in old}
        # a file has one variable for all that hold one value
        reals = {id(v): Name(cells[n.cell], v) for n, v in zip(names, variables, strict=True)}
        new = {n: reals[id(v)] for n, v in zip(names, variables, strict=True)}
        self.names += reals.values()
        found = [m.moved(f, new, cells) for m, f in zip(members, functions, strict=True)]
        if how == self._through_a_file:
            for member in found:
                # what held its value is not in the file
                member.bound = False
        self._add(found)

    def _deepcopied(self, functions: list[Any], variables: list[Any]) -> Any:
        return copy.deepcopy((functions, variables))

    def _pickled(self, functions: list[Any], variables: list[Any]) -> Any:
        with theano.config.change_flags(reoptimize_unpickled_function=self._chance(0.5)):
            return pickle.loads(pickle.dumps((functions, variables)))

    def _through_a_file(self, functions: list[Any], variables: list[Any]) -> Any:
        path = self.folder / "family.theano"
        theano.save(path, (functions, variables))
        found, names = theano.load(path)
        # one that was just read is compiled at its first call, by the default mode
        return [f if self._chance(0.3) else f.compile(MODES[self.mode]()) for f in found], names

    def _add(self, members: list[Member]) -> None:
        self.members += members
        # not too many, so that some are called often
        while len(self.members) > 6:
            self.members.pop(int(self.random.integers(len(self.members))))

    def _check(self) -> None:
        for i, name in enumerate(self.names):
            value = name.real.get_value()
            assert same(value, name.cell.value), f"variable {i} is {value}, not {name.cell.value}"
        for k, member in enumerate(self.members):
            value = member.real["s"]
            assert same(value, member.state.value), f"s of {k} is {value}, not {member.state.value}"
            value = member.real["d"]
            assert same(value, member.held), f"d of {k} is {value}, not {member.held}"
        for one, was in self.given_out:
            assert same(one, was), "a result changed after it was given out"


def is_random(value: Any) -> bool:
    return isinstance(value, np.random.RandomState)
