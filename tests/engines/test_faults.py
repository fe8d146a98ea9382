"""Known faults of XLA: programs are kept clear of them, and a canary tells when one is mended."""

import logging
import os
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import theano
import theano.tensor as T
from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.faults import LOSSY_PRODUCTS, RACING_SUMS, compiler_options

pytestmark = pytest.mark.xla
ROOT = Path(__file__).parents[2]


def wrong_sums(calls, options):
    """How many calls of bare jax miss a sum over a row that is stretched over fifty rows."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def norm(x):
        rows = jnp.broadcast_to(x, (50, x.shape[0]))
        return jnp.sqrt(jnp.sum(jnp.square(jnp.exp(rows)).astype("float64")))

    if options is not None:
        norm = jax.jit(norm.__wrapped__, compiler_options=options)
    with jax.enable_x64(True):
        x = jnp.ones(100_000, "float32")
        got = np.array([norm(x).item() for _ in range(calls)])
    right = np.sqrt(np.square(np.exp(np.ones(1, "float32"))).astype("float64").item() * 5e6)
    return int((abs(got / right - 1) > 1e-6).sum())


@pytest.mark.skipif(os.cpu_count() == 1, reason="threads race only where there are several cores")
def test_sums_of_the_bare_engine_are_wrong_in_the_versions_that_are_listed_and_in_no_other():
    """If it fails: docs/internals/engine-faults.md says what to do with the list of versions."""
    assert (wrong_sums(60, None) > 0) == (version("jaxlib") in RACING_SUMS)


def test_sums_are_right_with_the_options_that_programs_are_compiled_with():
    assert wrong_sums(60, compiler_options()) == 0


@pytest.mark.parametrize("installed", sorted(RACING_SUMS))
def test_a_faulty_version_is_named_once_and_its_sums_are_left_to_xla(
    monkeypatch, caplog, installed
):
    monkeypatch.setattr("importlib.metadata.version", lambda name: installed)
    compiler_options.cache_clear()
    try:
        with caplog.at_level(logging.WARNING, "theano.xla"):
            first, second = compiler_options(), compiler_options()
    finally:
        compiler_options.cache_clear()
    assert first == second and "ynn" in next(iter(first))
    (record,) = caplog.records
    assert installed in record.getMessage() and "wrong sums" in record.getMessage()


def test_other_versions_are_compiled_as_they_come(monkeypatch, caplog):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.12.0")
    compiler_options.cache_clear()
    try:
        assert compiler_options() is None and not caplog.records
    finally:
        compiler_options.cache_clear()


@pytest.mark.parametrize("package", ["jax", "jaxlib"])
def test_faulty_versions_are_not_installed_with_the_project(package):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (asked,) = [r for r in map(Requirement, project["dependencies"]) if r.name == package]
    assert not any(asked.specifier.contains(v) for v in RACING_SUMS)
    assert asked.specifier.contains("0.10.1") and asked.specifier.contains("0.12.0.1")


def written_over(keep):
    """Rows of a matrix put in other orders, written into the flat matrix by bare jax, and right."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    x = np.arange(16.0).reshape(4, 4)
    orders = [
        lambda x, xp: x[1, ::-1],
        lambda x, xp: xp.roll(x[1], 1),
        lambda x, xp: xp.transpose(x).reshape(-1)[1:8],
        lambda x, xp: (x * 2).reshape(-1)[3:9],
    ]

    def write(order):
        return jax.jit(lambda x: lax.dynamic_update_slice(x.reshape(-1), keep(order(x, jnp)), (4,)))

    with jax.enable_x64(True):
        made = [np.asarray(write(order)(x)) for order in orders]
    right = []
    for order in orders:
        flat, block = x.ravel().copy(), order(x, np)
        flat[4 : 4 + len(block)] = block
        right.append(flat)
    return made, right


def test_the_bare_engine_writes_blocks_over_what_they_are_read_from():
    made, right = written_over(lambda block: block)
    if all(map(np.array_equal, made, right)):
        pytest.skip(
            f"jaxlib {version('jaxlib')} computes a block before it writes it: note that in "
            "docs/internals/engine-faults.md; `apart` can go when every version taken does so"
        )
    assert not any(map(np.array_equal, made, right))


def test_a_block_that_is_kept_apart_is_computed_before_it_is_written():
    made, right = written_over(materialized)
    for got, want in zip(made, right, strict=True):
        np.testing.assert_array_equal(got, want)


def of_known_zeros(function, y, x):
    """What jax gives for zeros that its loops know as constants: read by index from one number."""
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(True):

        def read(value, i):
            return jnp.broadcast_to(jnp.asarray(value), (3, 1)).at[i, 0].get(mode="clip")

        args = [v for v in (y, x) if v is not None]
        run = jax.jit(lambda i: function(*[read(v, i) for v in args]))
        return np.asarray(run(np.arange(3)))


def product_of_scaled(prod):
    import jax

    with jax.enable_x64(True):
        return float(jax.jit(lambda x: prod(x * -1e-8))(np.array([1e200, 1e120])))


def test_a_product_of_scaled_elements_is_out_of_range_on_the_bare_engine():
    """If it fails, XLA is mended: take `JaxXp.prod` away."""
    import jax.numpy as jnp

    assert np.isinf(product_of_scaled(jnp.prod))


def test_a_product_of_scaled_elements_is_in_range():
    assert product_of_scaled(jax_xp.prod) == pytest.approx(1e304, rel=1e-15)


ZEROS = [np.array(v, dtype) for dtype in ("float32", "float64") for v in (0.0, -0.0)]


def test_the_angle_of_two_zeros_is_wrong_on_the_bare_engine():
    """If it fails, XLA is mended: take `JaxXp.arctan2` and the logarithms beside it away."""
    import jax.numpy as jnp

    assert np.isnan(of_known_zeros(jnp.arctan2, ZEROS[2], ZEROS[2])).all()
    assert np.isnan(of_known_zeros(jnp.log, np.array(0j), None).imag).all()


@pytest.mark.parametrize("y", ZEROS)
@pytest.mark.parametrize("x", ZEROS)
def test_the_angle_of_two_zeros_is_that_of_numpy(y, x):
    got = of_known_zeros(jax_xp.arctan2, y, x)
    want = np.arctan2(y, x)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert (np.signbit(got) == np.signbit(want)).all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name, at", [("log", 0), ("log2", 0), ("log10", 0), ("log1p", -1)])
def test_logarithms_of_a_complex_zero_are_those_of_numpy(name, at, dtype):
    signs = (0.0, -0.0) if at == 0 else (-1.0,)
    for z in [np.array(complex(a, b), dtype) for a in signs for b in (0.0, -0.0)]:
        got = of_known_zeros(getattr(jax_xp, name), z, None)
        with np.errstate(divide="ignore"):
            want = getattr(np, name)(z)
        assert got.dtype == dtype and (got.real == -np.inf).all()
        np.testing.assert_allclose(got.imag, want.imag, rtol=1e-6)


def test_a_program_that_takes_the_angle_of_a_stretched_zero_has_it_right():
    # seed 6675 of the random graphs
    i = T.lvector("i")
    zeros = T.alloc(T.constant(np.zeros(1, "complex128")), 3, 1)
    f = theano.function([i], T.angle(zeros[i, T.zeros_like(i)]), mode=theano.Mode(linker="xla"))
    assert f(np.arange(3)).tolist() == [0, 0, 0]


LONG = np.random.default_rng(0).uniform(0.5, 1, 1_000_000).astype("float32")


def rough(found):
    exact = np.dot(LONG.astype("float64"), LONG.astype("float64"))
    return abs(float(found) / exact - 1)


def test_the_product_of_two_long_vectors_is_rough_on_the_bare_engine_of_the_listed_versions():
    """If it fails on one of these XLA is mended; on another version, add it to the list."""
    import jax

    assert (rough(jax.jit(lambda x: x @ x)(LONG)) > 3e-6) == (version("jaxlib") in LOSSY_PRODUCTS)


@pytest.mark.parametrize("shape, pattern", [((-1,), "i,i->"), ((100, -1), "ij,ij->")])
def test_products_over_all_dimensions_have_numpys_digits(shape, pattern):
    x = T.TensorType("float32", (False,) * len(shape))("x")
    turned = x.T if len(shape) == 2 else x
    made = [T.einsum(pattern, x, x), T.tensordot(x, x, len(shape))]
    made += [T.dot(x, x)] if len(shape) == 1 else [T.einsum("ij,ji->", x, turned)]
    f = theano.function([x], made, mode=theano.Mode(linker="xla"))
    found = f(LONG.reshape(shape))
    assert all(v.dtype == "float32" and rough(v) < 3e-7 for v in found)


def test_a_product_of_what_is_computed_in_the_same_loop_has_numpys_digits():
    row = T.frow("row")
    wide = T.tanh(T.alloc(row, 50, row.shape[1]))
    f = theano.function([row], T.einsum("ij,ij->", wide, wide), mode=theano.Mode(linker="xla"))
    found = f(LONG[None, :100_000])
    exact = 50 * np.square(np.tanh(LONG[:100_000].astype("float64"))).sum()
    assert abs(found / exact - 1) < 1e-6


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("lossy", [False, True])
def test_products_by_rows_and_by_turned_axes_are_numpys(dtype, lossy, monkeypatch):
    monkeypatch.setattr(
        "theano._src.engines.jax.arrays.products.products_lose_digits", lambda: lossy
    )
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(3, 4, 5)).astype(dtype), rng.normal(size=(5, 3, 4)).astype(dtype)
    a, b = T.tensor3("a", dtype), T.tensor3("b", dtype)
    made = {
        "abc,cab->b": T.einsum("abc,cab->b", a, b),
        "abc,cab->ca": T.einsum("abc,cab->ca", a, b),
        "abc,cab->": T.tensordot(a, b, [[0, 1, 2], [1, 2, 0]]),
    }
    f = theano.function([a, b], list(made.values()), mode=theano.Mode(linker="xla"))
    for text, found in zip(made, f(x, y), strict=True):
        exact = np.einsum(text, x.astype("complex128"), y)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, exact, rtol=1e-12 if dtype == "float64" else 1e-5)
