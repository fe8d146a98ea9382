"""COp reads C code from files; OpenMPOp compiles it for several threads."""

import sys
import types
import warnings

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.c_code.compiler import CompileError, why_no_compiler
from theano._src.engines.jax.backend import missing
from theano.gof.op import COp, OpenMPOp

LINKERS = ["numpy", "cvm", *([] if missing() else ["xla"])]

pytestmark = pytest.mark.skipif(
    why_no_compiler(python=True) is not None, reason=str(why_no_compiler(python=True))
)

x, y = T.fvector("x"), T.dvector("y")

TIMES = """
#section support_code
static bool same_length(PyArrayObject* a, PyArrayObject* b) {
    return PyArray_DIM(a, 0) == PyArray_DIM(b, 0);
}

#section support_code_apply
int APPLY_SPECIFIC(times)(PyArrayObject* a, PyArrayObject* b, PyArrayObject** c) {
    if (!same_length(a, b)) {
        PyErr_Format(PyExc_ValueError, "lengths %zd and %zd", PyArray_DIM(a, 0), PyArray_DIM(b, 0));
        return 1;
    }
    if (*c == NULL || !same_length(a, *c)) {
        Py_XDECREF(*c);
        *c = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(a), TYPENUM_OUTPUT_0, 0);
        if (*c == NULL) return 1;
    }
    for (npy_intp i = 0; i < PyArray_DIM(a, 0); i++) {
        DTYPE_INPUT_0 u = *(DTYPE_INPUT_0*)PyArray_GETPTR1(a, i);
        DTYPE_INPUT_1 v = *(DTYPE_INPUT_1*)PyArray_GETPTR1(b, i);
        *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(*c, i) = u * v;
    }
    return 0;
}
"""

SECTIONS = """
#section support_code
static int modules = 0;
#section init_code
modules = 1;
#section init_code_apply
modules += ITEMSIZE_INPUT_0;
#section support_code_struct
int APPLY_SPECIFIC(calls);
#section init_code_struct
APPLY_SPECIFIC(calls) = 0;
if (PARAMS->limit < 0) { PyErr_SetString(PyExc_ValueError, "no limit"); FAIL; }
#section cleanup_code_struct
APPLY_SPECIFIC(calls) = -1;
#section code
double* room = NULL;
if (PyArray_DIM(INPUT_0, 0) > PARAMS->limit) {
    PyErr_Format(PyExc_IndexError, "more than %d", (int)PARAMS->limit);
    FAIL
}
room = (double*)malloc(8);
*room = ++APPLY_SPECIFIC(calls) + 10 * modules + 100 * CONTEXT->limit;
OUTPUT_0 = *room;
#section code_cleanup
free(room);
"""


class Times(COp):
    __props__ = ()

    def make_node(self, a, b):
        kind = T.TensorType(theano.scalar.upcast(a.dtype, b.dtype), (False,))
        return theano.Apply(self, [a, b], [kind()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.asarray(inputs[0] * inputs[1])


@pytest.fixture
def file(tmp_path):
    """A function that writes a file, and gives its path."""

    def write(text, name="code.c"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize("linker", LINKERS)
def test_a_function_in_a_file_computes_a_node(file, linker):
    op = Times(file(TIMES), "APPLY_SPECIFIC(times)")
    f = theano.function([x, y], op(x * 2, y) + 1, mode=theano.Mode(linker))
    made = f(np.arange(6, dtype="float32")[::2], np.arange(9.0)[::3])
    assert made.dtype == "float64"
    assert made.tolist() == [1, 13, 49]
    with pytest.raises(ValueError, match="lengths 2 and 3"):
        f(np.ones(2, "float32"), np.ones(3))
    same = theano.function([y], op(y, y), mode=theano.Mode(linker))
    assert same([2.0, 3.0]).tolist() == [4, 9]


class Limited(COp):
    __props__ = ("limit",)
    params_type = theano.gof.ParamsType(limit=theano.scalar.int64)

    def __init__(self, path, limit):
        super().__init__(path)
        self.limit = limit

    def make_node(self, a):
        return theano.Apply(self, [a], [theano.scalar.float64()])


@pytest.mark.parametrize("linker", LINKERS)
def test_every_section_is_where_it_belongs(file, linker):
    path = file(SECTIONS)
    f = theano.function([y], Limited(path, 3)(y), mode=theano.Mode(linker))
    assert [float(f([1, 2])), float(f([1, 2]))] == [391, 392]
    with pytest.raises(IndexError, match="more than 3"):
        f([1, 2, 3, 4])
    with pytest.raises(ValueError, match="no limit"):
        theano.function([y], Limited(path, -1)(y), mode=theano.Mode(linker))([1])


def test_sections_of_several_files_are_joined_in_their_order(file):
    first = file("#section support_code\nstatic int one = 1;\n", "first.c")
    second = file("#section support_code\nstatic int two = one + 1;\n", "second.c")
    op = Times([first, second, file(TIMES)], "APPLY_SPECIFIC(times)")
    text = op.c_support_code()
    places = [text.index(name) for name in ("one = 1", "two = one", "same_length")]
    assert places == sorted(places)
    assert theano.function([y], op(y, y))([3.0]).tolist() == [9]


def test_a_file_is_found_beside_the_module_of_the_class(tmp_path, monkeypatch):
    (tmp_path / "beside.c").write_text(TIMES)
    module = types.ModuleType("module_with_c_op")
    module.__file__ = str(tmp_path / "module_with_c_op.py")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    own = type("Own", (Times,), {"__module__": module.__name__})
    assert own("beside.c", "f").func_files == [str(tmp_path / "beside.c")]
    assert own.get_path("/else/where.c") == "/else/where.c"


def test_the_marks_of_old_files_are_sections(file):
    text = TIMES.replace("#section support_code_apply", "THEANO_APPLY_CODE_SECTION")
    text = text.replace("#section support_code", "THEANO_SUPPORT_CODE_SECTION")
    op = Times(file(text), "APPLY_SPECIFIC(times)")
    assert sorted(op.code_sections) == ["support_code", "support_code_apply"]
    assert theano.function([y], op(y, y))([3.0]).tolist() == [9]


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("int early;\n#section code\n", None, "before its first section"),
        ("#section cod\n", None, "has the section 'cod'"),
        ("#section code\n;", "f", "func_name or a section code, got both"),
    ],
)
def test_a_file_that_is_not_divided_well_is_refused(file, text, name, told):
    with pytest.raises(ValueError, match=told):
        Times(file(text), name)


def test_an_op_without_code_runs_perform(file):
    op = Times(file("#section support_code\n"))
    assert theano.function([y], op(y, y))([3.0]).tolist() == [9]


def test_dtypes_have_no_macros_where_inputs_are_not_checked(file):
    class Unchecked(Times):
        check_input = False

    op = Unchecked(file(TIMES), "APPLY_SPECIFIC(times)")
    assert (
        "DTYPE_INPUT_0 " not in op.c_support_code_apply(op(y, y).owner, "n").split("int n")[0][:40]
    )
    with pytest.raises(CompileError, match="DTYPE_INPUT_0"):
        theano.function([y], op(y, y))


# OpenMP


class Total(OpenMPOp):
    """The sum of a vector, in as many threads as OpenMP takes, and how many those were."""

    __props__ = ("openmp",)

    def make_node(self, a):
        return theano.Apply(self, [a], [theano.scalar.float64(), theano.scalar.int64()])

    def perform(self, node, inputs, outputs):
        outputs[0][0], outputs[1][0] = inputs[0].sum(), np.int64(1)

    def c_code(self, node, name, inputs, outputs, sub):
        (a,), (total, threads) = inputs, outputs
        return f"""
        {total} = 0;
        {threads} = 1;
        #ifdef _OPENMP
        omp_set_num_threads(3);
        #endif
        double sum = 0;
        npy_intp n = PyArray_DIM({a}, 0);
        #pragma omp parallel for reduction(+:sum)
        for (npy_intp i = 0; i < n; i++) {{
            sum += *(double*)PyArray_GETPTR1({a}, i);
            #ifdef _OPENMP
            if (i == 0) {threads} = omp_get_num_threads();
            #endif
        }}
        {total} = sum;
        """


@pytest.mark.parametrize(("openmp", "threads"), [(True, 3), (False, 1)])
def test_openmp_uses_threads_where_it_is_on(openmp, threads):
    f = theano.function([y], Total(openmp)(y))
    total, found = f(np.ones(1000))
    assert (total, found) == (1000, threads)


def test_openmp_is_as_the_flag_says_unless_given():
    for flag in (True, False):
        with theano.config.change_flags(openmp=flag):
            assert Total().openmp is flag


def test_a_compiler_without_openmp_turns_it_off_with_one_warning(monkeypatch):
    monkeypatch.setattr(OpenMPOp, "gxx_support_openmp", None)
    monkeypatch.setattr(OpenMPOp, "test_gxx_support", staticmethod(lambda: False))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            op = Total(True)
            assert theano.function([y], op(y))([1.0])[0] == 1
            assert op.openmp is False
    assert len([w for w in told if "no OpenMP" in str(w.message)]) == 1
