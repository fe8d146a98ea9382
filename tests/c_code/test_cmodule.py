"""theano.gof.cmodule: the compiler, for programs that ask for it."""

import pytest

import theano
from theano._src.c_code.compiler import why_no_compiler
from theano.gof import cmodule
from theano.gof.cmodule import GCC_compiler

pytestmark = pytest.mark.skipif(
    why_no_compiler(python=True) is not None, reason=str(why_no_compiler(python=True))
)

MODULE = """
#include <Python.h>
static PyObject* answer(PyObject* self, PyObject* none) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "own_module", NULL, -1, methods};
PyMODINIT_FUNC PyInit_own_module(void) { return PyModule_Create(&module); }
extern "C" int twice(int x) { return 2 * x; }
"""


def test_a_text_is_compiled_and_imported():
    assert GCC_compiler.compile_str("own_module", MODULE).answer() == 42
    assert GCC_compiler.compile_str("own_module", MODULE, py_module=False).twice(4) == 8


def test_a_program_is_tried():
    assert GCC_compiler.try_compile_tmp("int main() { return 0; }") is True
    assert GCC_compiler.try_compile_tmp("int main() { return 3; }", try_run=True) == (True, False)
    right, out, err = GCC_compiler.try_compile_tmp("nonsense", output=True)
    assert (right, out) == (False, "")
    assert "nonsense" in err


def test_flags_are_tried():
    assert GCC_compiler.try_flags(["-DX=1"], body="int n = X;") is True
    assert GCC_compiler.try_flags(["-fno-such-flag-at-all"]) is False


def test_what_is_asked_without_a_compiler_is_none():
    assert cmodule.gcc_version() in GCC_compiler.version_str()
    with theano.config.change_flags(cxx=""):
        assert cmodule.gcc_version() is None
        assert cmodule.gcc_llvm() is None
        with pytest.raises(cmodule.MissingGXX, match=r"config\.cxx is empty"):
            GCC_compiler.try_flags([])


@pytest.mark.parametrize("name", ["ModuleCache", "get_module_cache", "DynamicModule", "KeyData"])
def test_names_of_the_cache_of_whole_graphs_say_why_they_are_absent(name):
    with pytest.raises(AttributeError, match="kept the modules of whole graphs"):
        getattr(cmodule, name)
    with pytest.raises(ModuleNotFoundError, match="ran the C code of whole graphs"):
        __import__("theano.gof.cutils")
