"""Einsum: sums of products over labelled dimensions, in an order chosen by lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.elementwise.arithmetic import add
from theano._src.ops.elementwise.compare import and_, eq, switch
from theano._src.ops.shape.alloc import stretched
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import known_dtype, upcast
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

Labels = tuple[int, ...]


def _letter(label: int) -> str:
    # labels beyond the alphabet: other Unicode letters, which jax.numpy.einsum accepts too
    return _LETTERS[label] if label < len(_LETTERS) else chr(label + 140)


def _text(terms: Sequence[Labels], output: Labels) -> str:
    names = ["".join(map(_letter, term)) for term in (*terms, output)]
    return f"{','.join(names[:-1])}->{names[-1]}"


class Einsum(Op):
    """The sum of products of elements with equal labels, over the labels not in ``output``.

    ``terms`` labels the dimensions of each input with small integers. Dimensions with the same
    label must have the same length: nothing is broadcast here. The order of products is chosen
    when lengths are known: with NumPy in each call (cached by shapes), with XLA at compilation.
    """

    __call__: TensorCall

    __props__ = ("terms", "output")

    def __init__(self, terms: Sequence[Sequence[int]], output: Sequence[int]) -> None:
        self.terms = tuple(tuple(term) for term in terms)
        self.output = tuple(output)

    def make_node(self, *inputs: TensorLike) -> Apply:
        results = [as_tensor_variable(x) for x in inputs]
        if len(results) != len(self.terms):
            raise ValueError(f"{self} takes {len(self.terms)} inputs, got {len(results)}")
        short: set[int] = set()
        for i, (x, term) in enumerate(zip(results, self.terms, strict=True)):
            if x.ndim != len(term):
                raise TypeError(
                    f"{self} takes {len(term)} dimensions as input {i}, got {x} of {x.type}"
                )
            short.update(n for n, b in zip(term, x.broadcastable, strict=True) if b)
        pattern = tuple(n in short for n in self.output)
        return Apply(self, results, [tensor_type(upcast(*[x.dtype for x in results]), pattern)()])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        shapes = tuple(x.shape for x in inputs)
        dtype = upcast(*[x.dtype.name for x in inputs])
        return _run(xp, _plan(self, shapes), [xp.astype(x, dtype) for x in inputs])

    def bind(self, node: Apply) -> Callable[..., Any]:
        dtype = node.outputs[0].type.numpy_dtype
        plans: dict[Any, Any] = {}

        def run(*inputs: np.ndarray) -> Any:
            shapes = tuple([x.shape for x in inputs])
            plan = plans.get(shapes)
            if plan is None:
                if len(plans) > 64:
                    plans.clear()
                plan = plans[shapes] = _plan(self, shapes)
            results = [x if x.dtype is dtype else x.astype(dtype, copy=False) for x in inputs]
            return _run(numpy_xp, plan, results)

        return run

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        self.lengths([x.shape for x in inputs])
        dtype = upcast(*[x.dtype.name for x in inputs])
        # for bools a product is `and` and a sum is `or`: compute in integers
        inner = "int32" if dtype == "bool" else dtype
        result = xp.einsum(_text(self.terms, self.output), *[xp.astype(x, inner) for x in inputs])
        return xp.not_equal(result, 0) if dtype == "bool" else result

    def lengths(self, shapes: Sequence[Sequence[int]]) -> dict[int, int]:
        """Return the length of each label; raise ValueError if a label has two lengths."""
        result: dict[int, tuple[int, int, int]] = {}
        for i, (shape, term) in enumerate(zip(shapes, self.terms, strict=True)):
            for axis, (label, n) in enumerate(zip(term, shape, strict=True)):
                first, at, m = result.setdefault(label, (i, axis, n))
                if m != n:
                    raise ValueError(
                        f"Shape mismatch: axis {at} of input {first} has length {m} but axis "
                        f"{axis} of input {i} has length {n}, both labelled {_letter(label)!r} in "
                        f"{self}; shapes: {', '.join(map(str, shapes))}. A dimension stretches "
                        "where its type says broadcastable"
                    )
        return {label: n for label, (_, _, n) in result.items()}

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        lengths: dict[int, Any] = {}
        for term, shape in zip(self.terms, shapes, strict=True):
            for label, n in zip(term, shape, strict=True):
                lengths.setdefault(label, n)
        return [tuple(lengths[n] for n in self.output)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        new = 1 + max([n for term in self.terms for n in term], default=0)
        terms = [(new, *t) if m else t for t, m in zip(self.terms, is_batched, strict=True)]
        return [Einsum(terms, (new, *self.output))(*inputs)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [self._gradient(i, inputs, g) for i in range(len(inputs))]

    def _gradient(self, i: int, inputs: Sequence[Any], g: TensorVariable) -> Any:
        """The gradient with respect to input i: an einsum of ``g`` and the other inputs."""
        x, term = inputs[i], self.terms[i]
        others = [(v, t) for j, (v, t) in enumerate(zip(inputs, self.terms, strict=True)) if j != i]
        terms = [self.output, *(t for _, t in others)]
        there = set().union(*terms)
        kept = [n for n in dict.fromkeys(term) if n in there]
        gx = Einsum(terms, kept)(g, *(conjugated(v) for v, _ in others))
        # a label that only x has was summed over: its gradient is constant along it
        first = {n: term.index(n) for n in kept}
        places = {axis: kept.index(n) for n, axis in first.items()}
        gx = dimshuffle(gx, *(places.get(axis, "x") for axis in range(x.ndim)))
        if len(places) < x.ndim:
            gx = stretched(gx, x)
        on = _on_diagonal(x, term)
        gx = gx if on is None else switch(on, gx, const_like(0, gx))
        return patternbroadcast(gx, x.broadcastable)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        moved = [
            self(*inputs[:i], dx, *inputs[i + 1 :])
            for i, dx in enumerate(eval_points)
            if dx is not None and not isinstance(dx.type, DisconnectedType)
        ]
        if not moved:
            return [None]
        pattern = self.make_node(*inputs).outputs[0].type.broadcastable
        return [patternbroadcast(moved[0] if len(moved) == 1 else add(*moved), pattern)]

    def __str__(self) -> str:
        return f"Einsum{{{_text(self.terms, self.output)}}}"


def _on_diagonal(x: TensorVariable, term: Labels) -> Any:
    """Mask of the entries where dimensions of equal label have equal index; None if all differ."""
    same = []
    for axis, label in enumerate(term):
        first = term.index(label)
        if first == axis:
            continue
        at = arange(shape_i(x, axis))
        one, other = (
            dimshuffle(at, *(0 if d == here else "x" for d in range(x.ndim)))
            for here in (first, axis)
        )
        same.append(eq(one, other))
    return reduce(and_, same) if same else None


#: one operation on a list of arrays: its kind, the positions of the one or two arrays that it
#: uses (a product removes both and is appended), and the axes and shapes that it needs
Step = tuple[Any, ...]


def _plan(op: Einsum, shapes: tuple[tuple[int, ...], ...]) -> list[Step]:
    """Return the steps that compute ``op`` for arrays of these shapes, mostly matrix products."""
    lengths = op.lengths(shapes)
    steps: list[Step] = []
    left: list[Labels] = []
    for i, term in enumerate(op.terms):
        labels = list(term)
        for label in dict.fromkeys(term):
            while labels.count(label) > 1:
                a = labels.index(label)
                b = labels.index(label, a + 1)
                steps.append(("diagonal", i, a, b))
                del labels[b], labels[a]
                labels.append(label)
        left.append(tuple(labels))
    for pair in _order(op.terms, op.output, tuple(sorted(lengths.items()))):
        others = [labels for i, labels in enumerate(left) if i not in pair]
        kept = set(op.output).union(*others)
        step, result = _pair(*pair, left[pair[0]], left[pair[1]], kept, lengths)
        steps.append(step)
        left = [*others, result]
    gone = tuple(i for i, n in enumerate(left[0]) if n not in op.output)
    rest = [n for n in left[0] if n in op.output]
    order = tuple(rest.index(n) for n in op.output)
    # without products or sums the result would be a view of the input: copy it
    return [*steps, ("last", gone, _unless_as_it_is(order), len(op.terms) == 1 and not gone)]


def _unless_as_it_is(order: tuple[int, ...]) -> tuple[int, ...] | None:
    return None if order == tuple(range(len(order))) else order


def _pair(
    i: int, j: int, of_x: Labels, of_y: Labels, kept: set[int], lengths: dict[int, int]
) -> tuple[Step, Labels]:
    """Return the step that multiplies two arrays and sums labels not ``kept``; and its labels."""
    sums, terms = [], []
    for own, other in ((of_x, of_y), (of_y, of_x)):
        # labels of only one of them that are not kept are summed before the product
        sums.append(tuple(a for a, n in enumerate(own) if n not in kept and n not in other))
        terms.append([n for n in own if n in kept or n in other])
    x, y = terms
    both = [n for n in x if n in y]
    batch, gone = [n for n in both if n in kept], [n for n in both if n not in kept]
    free_x, free_y = [n for n in x if n not in both], [n for n in y if n not in both]
    out = [*batch, *free_x, *free_y]
    if not gone:
        spread = [
            (
                _unless_as_it_is(tuple(own.index(n) for n in out if n in own)),
                tuple(lengths[n] if n in own else 1 for n in out),
            )
            for own in (x, y)
        ]
        return ("multiply", i, j, *sums, *spread, None), tuple(out)

    def block(own: list[int], *groups: list[int]) -> tuple[Any, Any]:
        order = _unless_as_it_is(tuple(own.index(n) for group in groups for n in group))
        single = all(len(group) == 1 for group in groups)
        return order, None if single else tuple(
            math.prod(lengths[n] for n in group) for group in groups
        )

    front = [batch] if batch else []
    shape = tuple(lengths[n] for n in out)
    if batch and not free_x and not free_y:
        # a batch of inner products: matmul would call BLAS once for each
        sides = [block(x, batch, gone), block(y, batch, gone)]
        return ("rows", i, j, *sums, *sides, shape), tuple(out)
    sides = [block(x, *front, free_x, gone), block(y, *front, gone, free_y)]
    return ("matmul", i, j, *sums, *sides, shape), tuple(out)


def _run(xp: ArrayNamespace, plan: list[Step], arrays: list[Any]) -> Any:
    for kind, *rest in plan:
        if kind == "last":
            gone, order, copied = rest
            z = xp.sum(arrays[0], axis=gone, dtype=arrays[0].dtype) if gone else arrays[0]
            z = z if order is None else xp.transpose(z, order)
            return xp.copy(z) if copied else z
        if kind == "diagonal":
            i, a, b = rest
            arrays[i] = xp.diagonal(arrays[i], 0, a, b)
            continue
        i, j, sum_x, sum_y, side_x, side_y, shape = rest
        x, y = _side(xp, arrays[i], sum_x, side_x), _side(xp, arrays[j], sum_y, side_y)
        if kind == "multiply":
            z = x * y
        else:
            z = xp.matmul(x, y) if kind == "matmul" else xp.einsum("bk,bk->b", x, y)
            z = z if z.shape == shape else xp.reshape(z, shape)
        arrays = [v for k, v in enumerate(arrays) if k not in (i, j)]
        arrays.append(z)
    raise AssertionError("a plan ends with its last step")


def _side(xp: ArrayNamespace, x: Array, gone: Array, form: tuple[Any, Any]) -> Any:
    order, shape = form
    x = xp.sum(x, axis=gone, dtype=x.dtype) if gone else x
    x = x if order is None else xp.transpose(x, order)
    return x if shape is None else xp.reshape(x, shape)


@lru_cache(maxsize=1024)
def _order(
    terms: tuple[Labels, ...], output: Labels, lengths: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs to multiply in turn; each product is appended to the list of arrays."""
    if len(terms) < 3:
        return ((0, 1),) if len(terms) == 2 else ()
    from opt_einsum.paths import auto

    size = dict(lengths)
    path = auto([frozenset(t) for t in terms], frozenset(output), size)
    pairs: list[tuple[int, int]] = []
    count = len(terms)
    for chosen in path:
        # opt_einsum may contract several arrays at once: multiply them one after another
        at = sorted(chosen)
        while len(at) > 1:
            pairs.append((at[0], at[1]))
            at = [i - 2 for i in at[2:]] + [count - 2]
            count -= 1
    return tuple(pairs)


@documented_in("theano.tensor")
def einsum(
    subscripts: str | TensorLike,
    *operands: TensorLike,
    dtype: DTypeLike = None,
    optimize: bool | str | Sequence[Any] = True,
    out: None = None,
) -> Any:
    """Sums of products by labelled dimensions, as in NumPy.

    Each dimension of each operand has a letter. Elements with equal letters are multiplied, and
    summed over the letters that do not occur in the output, after ``->``. Without ``->`` the
    output has the letters that occur once, in alphabetical order. A letter that occurs twice in
    one operand takes its diagonal. ``...`` denotes all other dimensions, which are broadcast
    with those of other operands. Operands are multiplied two at a time, in an order that
    opt_einsum chooses by their lengths.

    Parameters
    ----------
    subscripts : str
        Or the first operand: each operand is then followed by a list of integers, or Ellipsis,
        that label its dimensions, and a last list labels the output.
    *operands : tensors or arrays
    dtype : str, optional
        The dtype to compute in; by default the common dtype of the operands.
    optimize : bool or str
        Accepted for NumPy's signature and ignored: the order is always optimised.
    out : None
        Not supported: a variable cannot be written into.

    >>> import theano.tensor as T
    >>> T.einsum("ij,kj->ik", [[1, 2], [3, 4]], [[1, 1], [0, 1]]).eval().tolist()
    [[3, 2], [7, 4]]
    >>> T.einsum("ii", [[1, 2], [3, 4]]).eval().item()
    5
    """
    if out is not None:
        raise TypeError("einsum takes no out: a variable is never written into; use what it gives")
    if isinstance(subscripts, str):
        given = [as_tensor_variable(x) for x in operands]
        named, wanted = _read_text(subscripts)
    else:
        parts, named, wanted = _read_lists((subscripts, *operands))
        given = [as_tensor_variable(x) for x in parts]
    if len(given) != len(named):
        raise ValueError(
            f"einsum takes as many operands as subscripts name, got {len(given)} for {len(named)}"
        )
    if dtype is not None:
        given = [cast(x, known_dtype(dtype)) for x in given]
    terms, output = _without_ellipsis(given, named, wanted)
    return labelled_product(given, terms, output)


def labelled_product(operands: Sequence[Any], terms: Sequence[Any], output: Sequence[Any]) -> Any:
    """``Einsum`` that broadcasts dimensions whose type is broadcastable; labels are hashable."""
    long = {
        n
        for x, term in zip(operands, terms, strict=True)
        for n, b in zip(term, x.broadcastable, strict=True)
        if not b
    }
    numbers = {n: i for i, n in enumerate(dict.fromkeys(n for t in terms for n in t if n in long))}
    result, short_terms = [], []
    for x, term in zip(operands, terms, strict=True):
        kept = [i for i, b in enumerate(x.broadcastable) if not b]
        result.append(x if len(kept) == x.ndim else dimshuffle(x, *kept))
        short_terms.append(tuple(numbers[term[i]] for i in kept))
    wanted = tuple(numbers[n] for n in output if n in long)
    if len(result) == 1 and sorted(short_terms[0]) == sorted(wanted):
        product = result[0]
        order = [short_terms[0].index(n) for n in wanted]
    else:
        product = Einsum(short_terms, wanted)(*result)
        order = list(range(len(wanted)))
    left = iter(order)
    places = [next(left) if n in long else "x" for n in output]
    return product if places == list(range(product.ndim)) else dimshuffle(product, *places)


_REST = "..."  # in a term: all dimensions without a label


def _read_text(subscripts: str) -> tuple[list[list[Any]], list[Any] | None]:
    text = "".join(subscripts.split())
    inputs, arrow, output = text.partition("->")
    named = [_read_term(term, subscripts) for term in inputs.split(",")]
    return named, _read_term(output, subscripts) if arrow else None


def _read_term(term: str, whole: str) -> list[Any]:
    before, dots, after = term.partition(_REST)
    for c in before + after:
        if c not in _LETTERS:
            raise ValueError(
                f"einsum takes letters, commas, '->' and one '...' for each operand, got {c!r} in "
                f"{whole!r}"
            )
    return [*before, *([_REST] if dots else []), *after]


def _read_lists(args: Sequence[Any]) -> tuple[list[Any], list[list[Any]], list[Any] | None]:
    count = len(args) // 2
    if count == 0:
        raise ValueError(
            "einsum takes a string of subscripts, or each operand followed by a list of labels"
        )
    lists = [*args[1 : 2 * count : 2], *args[2 * count :]]
    named = []
    for labels in lists:
        if not isinstance(labels, (list, tuple)):
            raise TypeError(f"einsum takes a list of labels behind each operand, got {labels!r}")
        named.append([_REST if n is Ellipsis else int(n) for n in labels])
        if named[-1].count(_REST) > 1:
            raise ValueError(f"einsum takes one Ellipsis for each operand, got {labels!r}")
    return list(args[: 2 * count : 2]), named[:count], named[count] if len(args) % 2 else None


def _without_ellipsis(
    operands: Sequence[Any], named: Sequence[list[Any]], wanted: list[Any] | None
) -> tuple[list[list[Any]], list[Any]]:
    """Label every dimension; dimensions of an ellipsis are numbered from the right."""
    terms, rest = [], 0
    for i, (x, names) in enumerate(zip(operands, named, strict=True)):
        more = x.ndim - len([n for n in names if n != _REST])
        if more < 0 or (more and _REST not in names):
            raise ValueError(
                f"einsum takes a label for each dimension of operand {i}, got "
                f"{len(names) - (_REST in names)} for {x} of {x.type}; '...' stands for others"
            )
        rest = max(rest, more)
        terms.append(_with_rest(names, more))
    if wanted is None:
        flat = [n for names in named for n in names if n != _REST]
        output: list[Any] = [_REST, *sorted(n for n in set(flat) if flat.count(n) == 1)]
    else:
        output = wanted
        if rest and _REST not in wanted:
            raise ValueError(
                "einsum takes '...' in the output too where it stands for dimensions of an operand"
            )
    output = _with_rest(output, rest)
    known = {n for term in terms for n in term}
    for n in output:
        if n not in known:
            raise ValueError(f"einsum takes labels of operands in the output, got {n!r} too")
        if output.count(n) > 1:
            raise ValueError(f"einsum takes each label once in the output, got {n!r} twice")
    return terms, output


def _with_rest(names: Sequence[Any], count: int) -> list[Any]:
    results: list[Any] = []
    for n in names:
        results += [(_REST, i) for i in range(count, 0, -1)] if n == _REST else [n]
    return results
