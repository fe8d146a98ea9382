"""Random programs of typed lists, against Python's own lists."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.typed_list import TypedListType, length, make_list

VECTORS = TypedListType(T.dvector)


def plain(values):
    return [v.tolist() for v in values]


STEPS = [
    lambda one, x, v, i: one.append(v),
    lambda one, x, v, i: one.insert(i, v + 1),
    lambda one, x, v, i: one.extend(x),
    lambda one, x, v, i: one.remove(v),
    lambda one, x, v, i: one.reverse(),
    lambda one, x, v, i: one[i:],
    lambda one, x, v, i: make_list([v, v * 2]),
]


def random_program(rng, x, v, i):
    """Lists made from each other, with what Python makes of them: ``f(values) -> lists``."""
    lists, steps = [x], []
    for _ in range(rng.integers(3, 9)):
        k, kind = int(rng.integers(len(lists))), int(rng.integers(len(STEPS)))
        lists.append(STEPS[kind](lists[k], x, v, i))
        steps.append((k, kind))

    def by_python(x, v, i):
        found = [list(x)]
        for k, kind in steps:
            one = list(found[k])
            if kind == 0:
                one.append(v)
            elif kind == 1:
                one.insert(i, v + 1)
            elif kind == 2:
                one.extend(found[0])
            elif kind == 3:
                at = [n for n, y in enumerate(one) if np.array_equal(y, v)]
                one = one[: at[0]] + one[at[0] + 1 :] if at else one
            elif kind == 4:
                one.reverse()
            elif kind == 5:
                one = one[i:]
            else:
                one = [v, v * 2]
            found.append(one)
        return found

    return lists, by_python


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize("seed", range(25))
def test_random_programs_of_lists_give_what_python_gives(seed, linker):
    rng = np.random.default_rng(seed)
    x, v, i = VECTORS("x"), T.dvector("v"), T.lscalar("i")
    lists, by_python = random_program(rng, x, v, i)
    shown = sorted(rng.choice(len(lists), 2, replace=False))
    outputs = [lists[k] for k in shown]
    # elementwise ops want to write into elements
    numbers = [T.exp(length(one) * 0.1) + sum_of(one) for one in lists]
    s = theano.shared([[1.0]], type=VECTORS)
    f = theano.function(
        [theano.In(x, mutable=bool(rng.integers(2))), v, i],
        [*outputs, *numbers],
        updates=[(s, s.extend(lists[-1]))],
        mode=theano.Mode(linker),
        on_unused_input="ignore",
    )
    values = [np.ones(2), np.arange(3.0), np.zeros(1)]
    for element, index in ((np.zeros(1), 1), (np.ones(2), -1)):
        before = plain(s.get_value())
        found = f([y.copy() for y in values], element, index)
        wanted = by_python(values, element, index)
        assert [plain(y) for y in found[:2]] == [plain(wanted[k]) for k in shown]
        for y, number in zip(wanted, found[2:], strict=True):
            first = np.exp(y[0]).sum() if y else 0
            np.testing.assert_allclose(number, np.exp(len(y) * 0.1) + first, rtol=1e-12)
        assert plain(s.get_value()) == before + plain(wanted[-1])


def sum_of(one):
    """The sum of exp of the first element, or 0."""
    return T.exp(one.append(np.zeros(0))[0]).sum()
