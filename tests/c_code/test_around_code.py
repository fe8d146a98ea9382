"""What stands around the C code of a node: structs, parameters, headers, other values."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.c_code.c_ops import LIKE, Both, Scaled, ScaledInC, scaled, strided
from theano._src.c_code.compiler import why_no_compiler
from theano._src.graph import c_op

pytestmark = pytest.mark.skipif(
    why_no_compiler(python=True) is not None, reason=str(why_no_compiler(python=True))
)

x, y = T.dvector("x"), T.dscalar("y")


# structs, parameters, what stands around the code


def test_a_struct_lives_as_long_as_the_thunk():
    class Counting(theano.Op):
        __props__ = ()

        def make_node(self, v):
            return theano.Apply(self, [v], [theano.scalar.int64()])

        def c_support_code(self):
            return 'extern "C" { int theano_test_alive = 0; }'

        def c_support_code_struct(self, node, name):
            return f"npy_int64 calls_{name};"

        def c_init_code_struct(self, node, name, sub):
            return f"calls_{name} = 10; theano_test_alive += 1;"

        def c_cleanup_code_struct(self, node, name):
            return f"theano_test_alive -= 1; calls_{name} = 0;"

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = ++calls_{name} + 100 * theano_test_alive;"

    node = Counting()(x).owner
    one, other = c_op.in_c(node), c_op.in_c(node)
    assert [one(strided(1), None), one(strided(1), None)] == [211, 212]
    assert other(strided(1), None) == 211
    del other
    assert one(strided(1), None) == 113


def test_a_struct_that_cannot_be_made_raises():
    class Refusing(Scaled):
        def c_init_code_struct(self, node, name, sub):
            return f'PyErr_SetString(PyExc_KeyError, "not here"); {sub["fail"]}'

    with pytest.raises(KeyError, match="not here"):
        theano.function([x, y], Refusing()(x, y))


def test_headers_libraries_arguments_and_code_of_the_module_are_used(tmp_path):
    (tmp_path / "own.h").write_text("#define OWN 5\n")

    class Around(theano.Op):
        __props__ = ()

        def make_node(self, v):
            return theano.Apply(self, [v], [v.type()])

        def c_headers(self):
            return ["own.h"]

        def c_header_dirs(self):
            return [str(tmp_path)]

        def c_libraries(self):
            return ["m"]

        def c_lib_dirs(self):
            return [str(tmp_path)]

        def c_compile_args(self):
            return ["-DGIVEN=7"]

        def c_no_compile_args(self):
            return ["-O3"]

        def c_init_code(self):
            return ["once = 100;"]

        def c_init_code_apply(self, node, name):
            return "once += 1000;"

        def c_support_code(self):
            return LIKE + "static double once = 0;"

        def c_code(self, node, name, inputs, outputs, sub):
            (v,), (w,) = inputs, outputs
            return f"""
            #ifdef __OPTIMIZE__
            #error "-O3 was to be left out"
            #endif
            if (like(&{w}, {v})) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < {w}->dimensions[0]; i++)
                ((double*){w}->data)[i] = OWN + GIVEN + once;
            """

    assert theano.function([x], Around()(x))([1, 2]).tolist() == [1112, 1112]


def test_parameters_are_there_in_c_and_in_perform():
    kinds = theano.gof.EnumList(("ADD", "+"), ("MUL", "*"))
    kind = theano.gof.ParamsType(
        by=theano.scalar.float64, table=T.TensorType("float64", (False,)), how=kinds,
        text=theano.generic,
    )  # fmt: skip

    class Changed(theano.Op):
        __props__ = ("by", "how")
        params_type = kind

        def __init__(self, by, how):
            self.by, self.how = by, kinds.fromalias(how)
            self.table, self.text = np.array([100.0, 200.0]), "text"

        def make_node(self, v):
            return theano.Apply(self, [v], [v.type()])

        def perform(self, node, inputs, outputs, params):
            v = inputs[0]
            v = v + params.by if params.how == kinds.ADD else v * params.by
            outputs[0][0] = v + params.table[1] + len(params.text)

        def c_support_code(self):
            return LIKE

        def c_code(self, node, name, inputs, outputs, sub):
            (v,), (w,), p = inputs, outputs, sub["params"]
            return f"""
            if (like(&{w}, {v})) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < PyArray_DIM({v}, 0); i++) {{
                double u = *(double*)PyArray_GETPTR1({v}, i);
                switch ({p}->how) {{
                    case ADD: u += {p}->by; break;
                    case MUL: u *= {p}->by; break;
                }}
                u += *(double*)PyArray_GETPTR1({p}->table, 1) + PyUnicode_GetLength({p}->text);
                *(double*)PyArray_GETPTR1({w}, i) = u;
            }}
            """

    for op, expected in ((Changed(3, "+"), [204 + 3, 205 + 3]), (Changed(3, "*"), [204, 207])):
        for linker in ("py", "numpy"):
            f = theano.function([x], op(x), mode=theano.Mode(linker))
            assert f([0, 1]).tolist() == expected, (op, linker)


def test_names_that_c_defines_have_its_numbers():
    class Wide(theano.Op):
        __props__ = ("which",)
        params_type = theano.gof.CEnumType(("SHRT_MAX", "short"), "SCHAR_MAX", ctype="long")

        def __init__(self, which):
            self.which = self.params_type.fromalias(which)

        def get_params(self, node):
            return self.which

        def make_node(self, v):
            return theano.Apply(self, [v], [theano.scalar.int64()])

        def c_headers(self):
            return ["limits.h"]

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {sub['params']};"

    assert theano.function([x], Wide("short")(x))([1]) == 32767
    assert theano.function([x], Wide("SCHAR_MAX")(x))([1]) == 127


def test_pointers_travel_between_ops():
    kind = theano.gof.CDataType("int*", "free")

    class Boxed(theano.Op):
        __props__ = ()

        def make_node(self, k):
            return theano.Apply(self, [k], [kind()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = (int*)malloc(4); *{outputs[0]} = {inputs[0]};"

    class Unboxed(theano.Op):
        __props__ = ()

        def make_node(self, p):
            return theano.Apply(self, [p], [theano.scalar.int32()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = *{inputs[0]} + 1;"

    k = theano.scalar.int32("k")
    made = theano.function([k], Unboxed()(Boxed()(k)), mode=theano.Mode("numpy"))(41)
    assert made == 42
    assert type(made) is np.int32


def test_any_object_is_an_object_in_c():
    class Length(theano.Op):
        __props__ = ()

        def make_node(self, thing):
            return theano.Apply(self, [thing], [theano.generic(), theano.scalar.float64()])

        def c_code(self, node, name, inputs, outputs, sub):
            (thing,), (same, n) = inputs, outputs
            return f"""
            {n} = PyObject_Length({thing});
            if ({n} < 0) {{ {sub["fail"]} }}
            Py_XDECREF({same}); {same} = {thing}; Py_INCREF({same});
            """

    thing = theano.generic()
    f = theano.function([thing], Length()(thing))
    assert f("four") == ["four", 4.0]
    with pytest.raises(TypeError, match="has no len"):
        f(3)


# DebugMode


def test_debugmode_compares_c_code_with_perform():
    class Wrong(Scaled):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * inputs[1] + 1

    with pytest.raises(theano.compile.debugmode.BadThunkOutput) as e:
        theano.function([x, y], Wrong()(x, y), mode="DebugMode")([1, 2], 2)
    assert "c_code" in str(e.value)
    f = theano.function([x, y], scaled(x, y), mode="DebugMode")
    assert f([1, 2], 2).tolist() == [2, 4]
    f = theano.function(
        [x, y], ScaledInC()(x, y), mode=theano.compile.DebugMode(check_py_code=False)
    )
    assert f([1, 2], 2).tolist() == [2, 4]
    f = theano.function([x, y], Wrong()(x, y), mode=theano.compile.DebugMode(check_c_code=False))
    assert f([1, 2], 2).tolist() == [3, 5]


def test_debugmode_finds_c_code_that_writes_into_its_input_unsaid():
    class Writes(Both):
        destroy_map = {}

        def __init__(self):
            self.inplace = True
            self.destroy_map = {}

        def perform(self, node, inputs, outputs):
            outputs[0][0], outputs[1][0] = inputs[0] + inputs[1], inputs[0] - inputs[1]

    with pytest.raises(theano.compile.debugmode.BadDestroyMap, match="c_code"):
        theano.function([x], Writes()(x, x + 1), mode="DebugMode")([1, 2])
