"""Makes functions of the language shorter: known numbers are folded, what nothing reads goes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from theano._src.engines.native import ir
from theano._src.engines.native.ir import Number, Operand, Value

_FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "min": min,
    "max": max,
    "and": operator.and_,
    "or": operator.or_,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}

#: comparisons of the same values the other way round
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def operands(ins: ir.Instruction) -> tuple[Operand, ...]:
    """The values that an instruction reads, without its body."""
    match ins:
        case ir.Compute(_, _, args):
            return args
        case ir.Load(_, pointer, at) | ir.Offset(_, pointer, at):
            return pointer, at
        case ir.Store(pointer, at, value):
            return pointer, at, value
        case ir.Call(_, target, args):
            return (target, *args) if isinstance(target, Value) else args
        case ir.Declare(_, value) | ir.Return(value):
            return (value,)
        case ir.Get(_, variable):
            return (variable,)
        case ir.Put(variable, value):
            return variable, value
        case ir.Loop(_, length):
            return (length,)
        case ir.If(condition):
            return (condition,)
    return ()


def simplified(f: ir.Function, pure: Callable[[str], bool]) -> None:
    """Shorten a function; calls of functions that are ``pure`` go where nothing reads them."""
    f.body[:] = _Folding(f).block(f.body)
    f.body[:] = without_unread(f.body, pure)


def without_codes(functions: Sequence[ir.Function], pure: Callable[[str], bool]) -> set[str]:
    """Shorten functions, each after those that it calls; return which give 0 whenever they run.

    The code of such a function is not checked.
    """
    succeed: set[str] = set()
    for f in functions:
        # it calls itself: if it gives 0 provided that it gives 0, then it does
        body = _Folding(f, {*succeed, "self"}).block(f.body)
        if f.result == "i64" and all(v == ir.ZERO for v in _returned(body)):
            succeed.add(f.name)
        else:
            body = _Folding(f, succeed).block(f.body)
        f.body[:] = without_unread(body, pure)
    return succeed


def _returned(body: Sequence[ir.Instruction]) -> list[Operand]:
    blocks, values = [body], []
    while blocks:
        for ins in blocks.pop():
            if isinstance(ins, ir.Return):
                values.append(ins.value)
            elif isinstance(ins, ir.Loop | ir.If):
                blocks.append(ins.body)
    return values


class _Folding:
    """Replaces values that are known: arithmetic on lengths, and variables with known values.

    ``succeed`` are functions that give 0 whenever they run.
    """

    def __init__(self, f: ir.Function, succeed: Collection[str] = ()) -> None:
        self._succeed = succeed
        self._known: dict[Value, Operand] = {}
        #: the present values of variables that only straight code puts
        self._variables: dict[Value, Operand] = {}
        self._elsewhere = set(_put_within(f.body))
        #: results of what was computed before, in this block or around it
        self._computed: dict[Any, Value] = {}
        self._casts: dict[Any, Operand] = {}
        #: conditions under which the function has returned
        self._false: set[Value] = set()
        #: memory without a type: arrays in it begin with an offset, also the first
        self._raw = {p for p in f.params if p.name == "scratch"}

    def _of(self, v: Any) -> Any:
        return self._known.get(v, v) if isinstance(v, Value) else v

    def _cast_back(self, v: Any, type: str) -> Operand | None:
        """The operand of the cast to ``v``, if an integer of the same size and of this type."""
        before = self._casts[v]
        same = {type, v.type} <= ir.INTEGERS and ir.SIZES[type] == ir.SIZES[v.type]
        return before if same and before.type == type else None

    def block(self, body: Sequence[ir.Instruction]) -> list[ir.Instruction]:
        out: list[ir.Instruction] = []
        for ins in body:
            match ins:
                case ir.Compute(target, op, args):
                    args = tuple(map(self._of, args))
                    if op in _MIRRORED and isinstance(args[0], Number):
                        op, args = _MIRRORED[op], args[::-1]
                    result = _folded(op, args, target.type)
                    if op == "cast" and args[0] in self._casts:
                        result = self._cast_back(args[0], target.type)
                    if result is not None:
                        self._known[target] = result
                        continue
                    key = (op, args, target.type)
                    if key in self._computed:
                        self._known[target] = self._of(self._computed[key])
                        continue
                    self._computed[key] = target
                    if op == "cast":
                        self._casts[target] = args[0]
                    ins = ir.Compute(target, op, args)
                case ir.Load(target, pointer, at):
                    ins = ir.Load(target, self._of(pointer), self._of(at))
                    if target.type == "p" and ins.at == ir.ZERO:
                        self._raw.add(target)
                case ir.Store(pointer, at, value):
                    ins = ir.Store(self._of(pointer), self._of(at), self._of(value))
                case ir.Offset(target, pointer, at, size):
                    pointer, at = self._of(pointer), self._of(at)
                    if isinstance(at, Number) and at.value == 0 and pointer not in self._raw:
                        self._known[target] = pointer
                        continue
                    ins = ir.Offset(target, pointer, at, size)
                case ir.Call(target, function, args):
                    ins = ir.Call(target, self._of(function), tuple(map(self._of, args)))
                    if target is not None and function in self._succeed:
                        self._known[target] = ir.ZERO
                case ir.Declare(variable, value):
                    value = self._of(value)
                    if variable not in self._elsewhere:
                        self._variables[variable] = value
                    ins = ir.Declare(variable, value)
                case ir.Put(variable, value):
                    value = self._of(value)
                    if variable in self._variables:
                        self._variables[variable] = value
                    ins = ir.Put(variable, value)
                case ir.Get(target, variable):
                    if variable in self._variables:
                        self._known[target] = self._variables[variable]
                        continue
                case ir.Return(value):
                    ins = ir.Return(self._of(value))
                case ir.Loop(counter, length, inner):
                    ins = ir.Loop(counter, self._of(length), self._inside(inner))
                case ir.If(condition, inner):
                    condition = self._of(condition)
                    if isinstance(condition, Number):
                        if condition.value:
                            out += self.block(inner)
                        continue
                    ins = ir.If(condition, self._inside(inner))
                    if ins.body and isinstance(ins.body[-1], ir.Return):
                        self._known[condition] = Number("bool", False)
                        self._false.add(condition)
            out.append(ins)
            if isinstance(ins, ir.Return):
                break
        return out

    def _inside(self, body: Sequence[ir.Instruction]) -> list[ir.Instruction]:
        """A block that may not run: what it computes is not known after it."""
        computed, false = dict(self._computed), set(self._false)
        result = self.block(body)
        for condition in self._false - false:
            del self._known[condition]
        self._computed, self._false = computed, false
        return result


def _put_within(body: Sequence[ir.Instruction], depth: int = 0) -> list[Value]:
    """The variables that loops and branches put."""
    result = []
    for ins in body:
        if isinstance(ins, ir.Loop | ir.If):
            result += _put_within(ins.body, depth + 1)
        elif isinstance(ins, ir.Put) and depth:
            result.append(ins.variable)
    return result


def _folded(op: str, args: Sequence[Operand], type: str) -> Operand | None:
    if op == "select" and isinstance(args[0], Number):
        return args[1] if args[0].value else args[2]
    if op == "cast" and isinstance(args[0], Number) and {type, args[0].type} <= ir.SIGNED:
        return Number(type, args[0].value) if abs(args[0].value) < 2**31 else None
    if len(args) != 2 or args[0].type not in ("i64", "bool") or op not in _FOLDED:
        return None
    a, b = args
    if not (isinstance(a, Number) and isinstance(b, Number)):
        if a is b and op in ("eq", "le", "ge", "ne", "lt", "gt"):
            return Number("bool", op in ("eq", "le", "ge"))
        return ir.folded(op, a, b) if a.type == "i64" and op in ("add", "sub", "mul") else None
    if op == "div" and not b.value:
        return None
    return Number(type, _FOLDED[op](a.value, b.value))


def _rooms(body: Sequence[ir.Instruction]) -> list[Value]:
    rooms = []
    for ins in body:
        if isinstance(ins, ir.Loop | ir.If):
            rooms += _rooms(ins.body)
        elif isinstance(ins, ir.Room):
            rooms.append(ins.out)
    return rooms


def without_unread(
    body: Sequence[ir.Instruction],
    pure: Callable[[str], bool],
    read: Collection[Value] = (),
) -> list[ir.Instruction]:
    """The instructions without those whose results nothing reads."""
    needed, rooms = set(read), set(_rooms(body))

    def is_read(ins: ir.Instruction) -> bool:
        match ins:
            case ir.Call(out, str() as target, _):
                return not pure(target) or out in needed
            case ir.Put(variable, _) | ir.Declare(variable, _):
                return variable in needed
            case ir.Store(pointer, _, _):
                return pointer not in rooms or pointer in needed
            case (
                ir.Compute(out) | ir.Load(out) | ir.Offset(out) | ir.Address(out)
                | ir.Get(out) | ir.Room(out)
            ):  # fmt: skip
                return out in needed
        return True

    def kept(body: Sequence[ir.Instruction]) -> list[ir.Instruction]:
        out = []
        for ins in reversed(body):
            if isinstance(ins, ir.Loop | ir.If):
                inner = kept(ins.body)
                if not any(not isinstance(each, ir.Note) for each in inner):
                    continue
                ins = ins._replace(body=inner)
            elif not is_read(ins):
                continue
            needed.update(v for v in operands(ins) if isinstance(v, Value))
            out.append(ins)
        return out[::-1]

    return _until_stable(lambda: kept(body), needed)


def _until_stable(
    once: Callable[[], list[ir.Instruction]], needed: Collection[Any]
) -> list[ir.Instruction]:
    """The result once ``needed`` does not grow: a loop may read what its last turn has put."""
    before = -1
    result: list[ir.Instruction] = []
    while len(needed) != before:
        before = len(needed)
        result = once()
    return result


def _given(f: ir.Function) -> set[Any]:
    """The pointers to memory that a function is given: parameters, and the table of addresses."""
    given: set[Any] = {p for p in f.params if p.type == "p"}
    blocks = [f.body]
    while blocks:
        for ins in blocks.pop():
            match ins:
                case ir.Loop(_, _, body) | ir.If(_, body):
                    blocks.append(body)
                case ir.Address(out):
                    given.add(out)
                case ir.Offset(out, pointer) if pointer in given:
                    given.add(out)
    return given


class OfValues(Exception):
    """A size depends on values that the program computes."""


def slice_of_sizes(
    f: ir.Function, root: Value, words: Collection[int] | None, inner: Mapping[str, str]
) -> list[ir.Instruction]:
    """The part of a function on which its stores to ``root`` depend: of sizes, if stored there.

    Parameters
    ----------
    f : Function
    root : Value
        A pointer.
    words : set of int, optional
        The places that count; all, if they are not given.
    inner : dict
        For the functions of inner graphs, those that give their sizes.
    """
    needed: set[Value] = set()
    rooms: dict[Value, set[int] | None] = {}
    places = set(_rooms(f.body))
    given = _given(f) | places

    def wants(pointer: Operand, at: Operand) -> bool:
        if pointer is root:
            return words is None or (isinstance(at, Number) and at.value in words)
        if pointer not in rooms:
            return False
        wanted = rooms[pointer]
        return wanted is None or (isinstance(at, Number) and at.value in wanted)

    def keep(ins: ir.Instruction) -> ir.Instruction | None:
        match ins:
            case ir.If(_, body):
                body = block(body)
                return ins._replace(body=body) if body else None
            case ir.Loop(_, _, body):
                block(body)  # a turn may read what the one before has stored
                body = block(body)
                return ins._replace(body=body) if body else None
            case ir.Store(pointer, at, value):
                return ins if value.type != "p" and wants(pointer, at) else None
            case ir.Call(_, str() as target, args) if target in inner:
                (context,) = args
                if context not in rooms:
                    return None
                rooms[context] = None
                return ir.Call(None, inner[target], args)
            case ir.Call(out, _, args):
                if any(a in rooms for a in args):
                    raise OfValues
                return ins if out in needed else None
            case ir.Load(out, pointer, at) if out in needed:
                if out.type == "p" or pointer not in given:
                    raise OfValues
                if pointer in places and pointer is not root:
                    known = rooms.setdefault(pointer, set())
                    if known is not None and isinstance(at, Number):
                        known.add(at.value)
                    elif known is not None:
                        rooms[pointer] = None
                return ins
            case ir.Put(variable, _) | ir.Declare(variable, _):
                return ins if variable in needed else None
            case ir.Return() | ir.Note():
                return None
        out = getattr(ins, "out", None)
        return ins if out in needed or out in rooms else None

    def block(body: Sequence[ir.Instruction]) -> list[ir.Instruction]:
        out = []
        for ins in reversed(body):
            kept = keep(ins)
            if kept is not None:
                needed.update(v for v in operands(kept) if isinstance(v, Value))
                out.append(kept)
        return out[::-1]

    def once() -> list[ir.Instruction]:
        rooms.clear()
        return block(f.body)

    return _until_stable(once, needed)
