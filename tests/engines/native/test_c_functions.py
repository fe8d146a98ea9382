"""The C functions of ufuncs: exactly NumPy's values, or within some ulps of mpmath's."""

import ctypes
import itertools
import shutil
import subprocess

import mpmath
import numpy as np
import pytest

from theano._src.engines.native.inline import DTYPES
from theano._src.engines.native.ir import FLOATS, SIGNED, UNSIGNED
from theano._src.engines.native.standalone.c_library import c_function, source
from theano._src.ops.core.cast import Cast

GCC = shutil.which("gcc")
pytestmark = [
    pytest.mark.skipif(GCC is None, reason="there is no gcc"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

HEAD = "#include <math.h>\n#include <stdint.h>\n"
C_TYPES = {
    "f64": "double", "f32": "float", "bool": "uint8_t",
    "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t",
    "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t",
}  # fmt: skip
INTEGERS = sorted(SIGNED | UNSIGNED)

#: ufuncs that give exactly NumPy's values, by the types of their arguments
OF_FLOATS = (
    "floor_divide remainder fmod sign fmax fmin copysign nextafter conjugate positive fabs "
    "absolute floor ceil trunc rint deg2rad rad2deg"
).split()
OF_INTEGERS = (
    "floor_divide remainder fmod power left_shift right_shift absolute sign invert conjugate "
    "positive"
).split()
OF_BOOLS = (
    "less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor "
    "logical_not invert bitwise_and bitwise_or bitwise_xor maximum minimum add multiply absolute"
).split()
TESTS = "logical_and logical_or logical_xor logical_not isnan isinf isfinite".split()


def exact_cases():
    """Names and types of ufuncs that NumPy gives the exact values of."""
    for names, types in (
        (OF_FLOATS, sorted(FLOATS)),
        (OF_INTEGERS, INTEGERS),
        (OF_BOOLS, ["bool"]),
    ):
        for name, t in itertools.product(names, types):
            yield name, (t,) * getattr(np, name).nin, t
    for name, t in itertools.product(TESTS, [*sorted(FLOATS), *INTEGERS]):
        yield name, (t,) * getattr(np, name).nin, "bool"
    for name in ("isnan", "isinf", "isfinite"):
        yield name, ("bool",), "bool"
    yield "signbit", ("f64",), "bool"
    yield "signbit", ("f32",), "bool"


CASTS = [("cast", (t,), to) for t, to in itertools.product(sorted(FLOATS), INTEGERS)]


class Library:
    """C functions of cases, compiled into one library, as functions of arrays."""

    def __init__(self, cases, folder):
        functions = {case: c_function(*case) for case in cases}
        stems = dict.fromkeys(s for f in functions.values() for s in f.needs)
        loops = [loop(f"loop{i}", *case, f) for i, (case, f) in enumerate(functions.items())]
        text = "\n".join([HEAD, *map(source, stems), *loops])
        path = folder / "functions.c"
        path.write_text(text)
        library = folder / "functions.so"
        run(GCC, "-std=c99", "-O1", "-shared", "-fPIC", path, "-o", library, "-lm")
        self.library, self.places = ctypes.CDLL(library), {c: i for i, c in enumerate(functions)}

    def __call__(self, case, *args):
        _, types, out = case
        args = np.broadcast_arrays(*args)
        args = [np.ascontiguousarray(a, DTYPES[t]) for a, t in zip(args, types, strict=True)]
        result = np.empty(args[0].shape, DTYPES[out])
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*args, result)]
        getattr(self.library, f"loop{self.places[case]}")(*pointers, ctypes.c_int64(result.size))
        return result


def loop(symbol, name, types, out, f):
    """The C function of a case, over arrays."""
    params = ", ".join(f"const {C_TYPES[t]} *x{i}" for i, t in enumerate(types))
    call = f.call(*[f"x{i}[i]" for i in range(len(types))])
    return (
        f"void {symbol}({params}, {C_TYPES[out]} *out, int64_t n);\n"
        f"void {symbol}({params}, {C_TYPES[out]} *out, int64_t n) {{\n"
        f"  int64_t i;\n  for (i = 0; i < n; i++) out[i] = {call};\n}}\n"
    )


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return Library([*exact_cases(), *CASTS], tmp_path_factory.mktemp("c_functions"))


def samples(t):
    """Numbers of a type that matter: ends, zeros, small and large ones."""
    dtype = DTYPES[t]
    if t == "bool":
        return np.array([False, True])
    if t in FLOATS:
        info = np.finfo(dtype)
        ends = [0.0, info.smallest_subnormal, info.tiny, info.eps, info.max, np.inf]
        plain = [0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 1e3 + 0.1, 1e15, 3e20]
        positive = np.array([*ends, *plain], dtype)
        return np.concatenate([positive, -positive, np.array([np.nan], dtype)])
    info, wide = np.iinfo(dtype), info_bits(dtype)
    near = [0, 1, 2, 3, 5, 7, 8, 15, 31, 32, 63, 64, 100, wide - 1, wide, info.max, info.max - 1]
    below = [-1, -2, -3, -7, -8, -63, -64, -100, info.min, info.min + 1] if info.min else []
    return np.array(sorted({*near, *below}), dtype)


def info_bits(dtype):
    return np.iinfo(dtype).bits


def grid(types):
    return [x.ravel() for x in np.meshgrid(*[samples(t) for t in types])]


def identical(got, want):
    """Whether numbers are equal, with the signs of zeros; all NaNs are one."""
    if got.dtype.kind == "f":
        return (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(
            want
        )
    return got == want


def test_small_functions_give_exactly_the_values_of_numpy(library):
    wrong = []
    for case in exact_cases():
        name, types, out = case
        args = grid(types)
        if name == "power":
            # NumPy raises for negative powers of integers
            args = [a[args[1] >= 0] for a in args]
        want = getattr(np, name)(*args)
        assert want.dtype == DTYPES[out]
        got = library(case, *args)
        if name in ("fmax", "fmin"):
            # NumPy has no rule for which of two zeros is the larger one
            got, want = got + DTYPES[out].type(0), want + DTYPES[out].type(0)
        bad = ~identical(got, want)
        wrong += [(case, [a[bad][:3] for a in args], want[bad][:3])] if bad.any() else []
    assert not wrong, wrong[:5]


def test_casts_of_floats_to_integers_are_those_of_the_op(library):
    for case in CASTS:
        _, (t,), to = case
        x = samples(t)
        x = np.concatenate([x, np.array([2.0**63, 2.0**64, 1.9e19, 1e10, -129.7, 300.9], x.dtype)])
        want = Cast(DTYPES[to].name).compute(np, x)
        assert (library(case, x) == want).all(), case


def whole_text():
    """A file with every function of the library."""
    stems = dict.fromkeys(s for c in [*exact_cases(), *CASTS] for s in c_function(*c).needs)
    loops = [loop(f"loop{i}", *c, c_function(*c)) for i, c in enumerate([*exact_cases(), *CASTS])]
    return "\n".join([HEAD, *map(source, stems), *loops])


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language", ["c99", "c++11"])
def test_the_sources_compile_without_warnings(compiler, language, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    path = tmp_path / "functions.c"
    path.write_text(whole_text())
    form = "c" if language == "c99" else "c++"
    warnings = ("-pedantic", "-Wall", "-Wextra", "-Werror")
    run(compiler, "-x", form, f"-std={language}", *warnings, "-O1", "-c", path, "-o", "/dev/null")


# special functions

SPECIAL = ("gamma", "gammaln", "psi", "erfinv", "erfcinv", "erfcx", "logaddexp", "logaddexp2")


def exact_value(name, *x):
    """The value of a special function in 60 digits, of numbers that mpmath takes as they are."""
    x = [mpmath.mpf(v) for v in x]
    match name:
        case "gammaln":
            return mpmath.log(abs(mpmath.gamma(x[0])))
        case "erfcinv":
            return mpmath.erfinv(1 - x[0]) if x[0] > 1e-20 else far_erfcinv(x[0])
        case "erfcx":
            # a confluent hypergeometric function, which is not a small number by a large one
            half, square = mpmath.mpf(1) / 2, x[0] ** 2
            right = mpmath.hyperu(half, half, square) / mpmath.sqrt(mpmath.pi)
            return right if x[0] > 0 else 2 * mpmath.exp(square) - right
        case "logaddexp":
            return mpmath.log(mpmath.exp(x[0]) + mpmath.exp(x[1]))
        case "logaddexp2":
            return mpmath.log(mpmath.power(2, x[0]) + mpmath.power(2, x[1]), 2)
        case "psi":
            return mpmath.digamma(x[0])
    return getattr(mpmath, name)(x[0])


def far_erfcinv(x):
    start = mpmath.sqrt(-mpmath.log(x * mpmath.sqrt(-mpmath.pi * mpmath.log(x))))
    return mpmath.findroot(lambda y: mpmath.log(mpmath.erfc(y)) - mpmath.log(x), start)


def arguments(name, rng):
    """Numbers of all sizes, and near the places where a function is 0 or has a pole."""
    signs = rng.choice([-1.0, 1.0], 60)
    sizes = signs * 10.0 ** rng.uniform(-12, 2, 60)
    if name in ("logaddexp", "logaddexp2"):
        x = rng.normal(0, 10, 80)
        return x, x + signs[0] * 10.0 ** rng.uniform(-8, 2, 80)
    if name == "erfinv":
        ends = signs * (1 - 10.0 ** rng.uniform(-15, -1, 60))
        return (np.concatenate([ends, np.clip(sizes, -0.99, 0.99)]),)
    if name == "erfcinv":
        return (np.concatenate([10.0 ** rng.uniform(-300, -1, 20), rng.uniform(0.1, 1.99, 40)]),)
    if name == "erfcx":
        return (np.concatenate([rng.uniform(-20, 30, 80), 10.0 ** rng.uniform(2, 100, 10)]),)
    whole = rng.randint(-30, 5, 40) + 10.0 ** rng.uniform(-10, -0.5, 40)
    return (np.concatenate([sizes, whole, rng.uniform(0, 160, 60), rng.uniform(-30, 4, 60)]),)


@pytest.fixture(scope="module")
def special(tmp_path_factory):
    cases = [(n, ("f64",) * (2 if "logadd" in n else 1), "f64") for n in SPECIAL]
    return Library(cases, tmp_path_factory.mktemp("special"))


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_within_two_units_in_the_last_place(name, special):
    (case,) = (c for c in special.places if c[0] == name)
    args = arguments(name, np.random.RandomState(SPECIAL.index(name)))
    got = special(case, *args)
    errors = []
    with mpmath.workdps(60):
        for value, *x in zip(got, *args, strict=True):
            want = exact_value(name, *x)
            # a sum of logarithms may be near 0: its error is one of its arguments
            most = max(abs(float(want)), *map(abs, x)) if "logadd" in name else abs(float(want))
            spacing = np.spacing(most)
            errors.append(float(abs(mpmath.mpf(float(value)) - want) / mpmath.mpf(float(spacing))))
    worst = int(np.argmax(errors))
    assert errors[worst] <= 2, (name, errors[worst], [a[worst] for a in args])
