"""makeTester and makeBroadcastTester: documented functions that create test cases for ops."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.testing.unittest_tools import fetch_seed, verify_grad
from theano._src.types.convert import as_tensor_variable

Values = Mapping[str, Any]
_rng = np.random.RandomState(fetch_seed())


@documented_in("theano.tensor.tests.test_basic")
def rand(*shape: int) -> Any:
    """Return random values of ``floatX`` between -1 and 1, for tests.

    >>> from theano.tensor.tests.test_basic import rand
    >>> rand(2, 3).shape
    (2, 3)
    """
    return np.asarray(_rng.rand(*shape) * 2 - 1, dtype=config.floatX)


@documented_in("theano.tensor.tests.test_basic")
def rand_ranged(min: float, max: float, shape: tuple[int, ...]) -> Any:
    """Return random values of ``floatX`` from ``min`` to ``max``, of ``shape``, for tests.

    >>> from theano.tensor.tests.test_basic import rand_ranged
    >>> bool((rand_ranged(2, 3, (5,)) >= 2).all())
    True
    """
    return np.asarray(_rng.rand(*shape) * (max - min) + min, dtype=config.floatX)


@documented_in("theano.tensor.tests.test_basic")
def randint(*shape: int) -> Any:
    """Return random integers from -5 to 5, for tests.

    >>> from theano.tensor.tests.test_basic import randint
    >>> bool((abs(randint(20)) <= 5).all())
    True
    """
    return _rng.randint(-5, 6, shape)


def _as_dict(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    pairs = values.items() if isinstance(values, Mapping) else enumerate(values)
    return {str(case): one for case, one in pairs}


@documented_in("theano.tensor.tests.test_basic")
def makeTester(
    name: str,
    op: Callable[..., Any],
    expected: Callable[..., Any],
    checks: Mapping[str, Callable[..., Any]] | None = None,
    good: Values | None = None,
    bad_build: Values | None = None,
    bad_runtime: Values | None = None,
    grad: Values | bool | None = None,
    mode: Any = None,
    grad_rtol: float | None = None,
    eps: float = 1e-10,
    skip: Any = False,
    test_memmap: bool = False,
    check_name: bool = False,
    grad_eps: float | None = None,
) -> type[unittest.TestCase]:
    """Return a TestCase for an op that checks values, gradients and errors.

    Parameters
    ----------
    name : str
    op : function of variables
    expected : function
        Returns the expected outputs for the values of the inputs.
    checks : dict, optional
        ``{name of the check: f(inputs, outputs)}``; a check that returns False fails.
    good : dict, optional
        ``{case: values of inputs}``, for which the op must return the expected outputs.
    bad_build, bad_runtime : dicts, optional
        Values that raise an error when the graph is built, or when it runs.
    grad : dict or True, optional
        Values at which ``verify_grad`` is called; True for those of ``good``.
    mode : Mode, optional
    grad_rtol, grad_eps : float, optional
        As ``rel_tol`` and ``eps`` of ``verify_grad``.
    eps : float
        The relative and absolute tolerance of values.
    skip : bool or str
        Whether to skip all tests; a string is the reason.
    test_memmap, check_name : bool
        Ignored; values are never kept in files here.

    >>> import numpy, theano.tensor as T, unittest
    >>> from theano.tensor.tests.test_basic import makeTester, rand
    >>> Tester = makeTester("DotTester", T.dot, numpy.dot, good={"vectors": (rand(3), rand(3))})
    >>> unittest.TestLoader().loadTestsFromTestCase(Tester).run(unittest.TestResult())
    <unittest.result.TestResult run=4 errors=0 failures=0>
    """
    cases, requested = _as_dict(good), _as_dict(checks)
    slopes = cases if grad is True else _as_dict(grad or None)

    def compiled(values: Any) -> Any:
        variables = [as_tensor_variable(x).type() for x in values]
        out = op(*variables)
        outputs = list(out) if isinstance(out, list | tuple) else [out]
        return function(
            variables, outputs, mode=mode, on_unused_input="ignore", accept_inplace=True
        )

    def test_good(self: unittest.TestCase) -> None:
        for case, values in cases.items():
            with self.subTest(case=case):
                given = [np.array(x) for x in values]  # an in-place op writes to it
                outputs = compiled(values)(*given)
                wanted = expected(*[np.array(x) for x in values])
                wanted = wanted if isinstance(wanted, list | tuple) else [wanted]
                self.assertEqual(len(wanted), len(outputs))
                for result, right in zip(outputs, wanted, strict=True):
                    right = np.asarray(right)
                    self.assertEqual(result.shape, right.shape)
                    room = max(
                        eps, 10 * np.finfo(result.dtype).eps if result.dtype.kind in "fc" else 0
                    )
                    np.testing.assert_allclose(result, right, rtol=room, atol=room)
                for what, holds in requested.items():
                    self.assertIsNot(holds(given, outputs), False, f"{case}: {what}")

    def test_bad_build(self: unittest.TestCase) -> None:
        for case, values in _as_dict(bad_build).items():
            with self.subTest(case=case), self.assertRaises(Exception):  # noqa: B017
                op(*[as_tensor_variable(x).type() for x in values])

    def test_bad_runtime(self: unittest.TestCase) -> None:
        for case, values in _as_dict(bad_runtime).items():
            run = compiled(values)
            with self.subTest(case=case), self.assertRaises(Exception):  # noqa: B017
                run(*[np.array(x) for x in values])

    def test_grad(self: unittest.TestCase) -> None:
        for case, values in slopes.items():
            with self.subTest(case=case):
                given = [np.array(x) for x in values]
                verify_grad(op, given, mode=mode, rel_tol=grad_rtol, eps=grad_eps)

    def setUp(self: unittest.TestCase) -> None:
        if skip:
            self.skipTest(str(skip))

    methods = (test_good, test_bad_build, test_bad_runtime, test_grad, setUp)
    return type(name, (unittest.TestCase,), {f.__name__: f for f in methods})


@documented_in("theano.tensor.tests.test_basic")
def makeBroadcastTester(
    op: Callable[..., Any],
    expected: Callable[..., Any],
    checks: Mapping[str, Callable[..., Any]] | None = None,
    name: str | None = None,
    inplace: bool = False,
    **kwargs: Any,
) -> type[unittest.TestCase]:
    """As ``makeTester``, for elementwise ops.

    Parameters
    ----------
    op, expected, checks : as for ``makeTester``
    name : str, optional
        By default the name of the op.
    inplace : bool
        Whether to check also that the op writes its result into its first input.
    **kwargs
        Further arguments of ``makeTester``.

    >>> import numpy, theano.tensor as T
    >>> from theano.tensor.tests.test_basic import makeBroadcastTester, rand
    >>> makeBroadcastTester(T.add, numpy.add, good={"vectors": (rand(3), rand(3))}).__name__
    'Elemwise{add,no_inplace}Tester'
    """
    requested = _as_dict(checks)
    if inplace:
        requested["the result is in the first input"] = _first_is_result
    return makeTester(name or f"{op}Tester", op, expected, requested, **kwargs)


def _first_is_result(inputs: Any, outputs: Any) -> bool:
    return bool(np.array_equal(inputs[0], outputs[0], equal_nan=True))
