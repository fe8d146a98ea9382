"""Ops with C code that the tests share."""

import numpy as np

import theano
import theano.tensor as T

#: makes a new output like another array; in C, so that ops are short
LIKE = """
static int like(PyArrayObject** z, PyArrayObject* x) {
    if (*z && PyArray_SAMESHAPE(*z, x)) return 0;
    Py_XDECREF(*z);
    *z = (PyArrayObject*)PyArray_EMPTY(PyArray_NDIM(x), PyArray_DIMS(x), PyArray_TYPE(x), 0);
    return *z == NULL;
}
"""


class Scaled(theano.Op):
    """A vector times a number, elementwise, with strides; negative factors are an error."""

    __props__ = ()

    def make_node(self, x, y):
        x, y = T.as_tensor_variable(x), T.as_tensor_variable(y)
        return theano.Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, outputs):
        x, y = inputs
        if y < 0:
            raise ValueError("factors are positive")
        outputs[0][0] = x * y.astype(x.dtype)

    def c_code_cache_version(self):
        return (1,)

    def c_support_code(self):
        return LIKE

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"""
        dtype_{y} factor = *(dtype_{y}*)PyArray_DATA({y});
        if (factor < 0) {{
            PyErr_SetString(PyExc_ValueError, "factors are positive");
            {sub["fail"]};
        }}
        if (like(&{z}, {x})) {{ {sub["fail"]} }}
        npy_intp n = PyArray_DIM({x}, 0);
        for (npy_intp i = 0; i < n; i++)
            *(dtype_{z}*)PyArray_GETPTR1({z}, i) = *(dtype_{x}*)PyArray_GETPTR1({x}, i) * factor;
        """

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def grad(self, inputs, output_grads):
        (x, y), (g,) = inputs, output_grads
        return [scaled(g, y), T.sum(g * x)]


scaled = Scaled()


class ScaledInC(Scaled):
    """The same, where only the C code may run."""

    def perform(self, node, inputs, outputs):
        raise AssertionError("the C code must run")

    def grad(self, inputs, output_grads):
        (x, y), (g,) = inputs, output_grads
        return [scaled_in_c(g, y), T.sum(g * x)]


scaled_in_c = ScaledInC()


class MatVec(theano.Op):
    """A matrix times a vector, by support code of the node and a temporary that is freed."""

    __props__ = ()

    def make_node(self, a, x):
        return theano.Apply(self, [a, x], [T.TensorType(a.dtype, (False,))()])

    def perform(self, node, inputs, outputs):
        a, x = inputs
        if a.shape[1] != len(x):
            raise ValueError(f"{a.shape[1]} columns and {len(x)} numbers")
        outputs[0][0] = a @ x

    def c_support_code_apply(self, node, name):
        kind = f"npy_{node.inputs[0].dtype}"
        return f"""
        static {kind} row_{name}({kind}* a, npy_intp step, {kind}* x, npy_intp n) {{
            {kind} total = 0;
            for (npy_intp j = 0; j < n; j++) total += a[j * step] * x[j];
            return total;
        }}
        """

    def c_code(self, node, name, inputs, outputs, sub):
        (a, x), (y,), fail = inputs, outputs, sub["fail"]
        return f"""
        dtype_{x}* column = NULL;
        npy_intp n, m;
        n = PyArray_DIM({a}, 0);
        m = PyArray_DIM({a}, 1);
        if (PyArray_DIM({x}, 0) != m) {{
            PyErr_Format(PyExc_ValueError, "%zd columns and %zd numbers", m, PyArray_DIM({x}, 0));
            {fail}
        }}
        Py_XDECREF({y});
        {y} = (PyArrayObject*)PyArray_EMPTY(1, &n, PyArray_TYPE({x}), 0);
        if (!{y}) {{ {fail} }}
        column = (dtype_{x}*)malloc((m + 1) * sizeof(dtype_{x}));
        for (npy_intp j = 0; j < m; j++) column[j] = *(dtype_{x}*)PyArray_GETPTR1({x}, j);
        for (npy_intp i = 0; i < n; i++)
            *(dtype_{y}*)PyArray_GETPTR1({y}, i) = row_{name}(
                (dtype_{a}*)PyArray_GETPTR2({a}, i, 0),
                PyArray_STRIDE({a}, 1) / sizeof(dtype_{a}), column, m);
        """

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return "free(column);"

    def grad(self, inputs, output_grads):
        (a, x), (g,) = inputs, output_grads
        return [T.outer(g, x), MatVec()(a.T, g)]


class Both(theano.Op):
    """Sum and difference of two arrays, in place of the first if ``inplace``."""

    __props__ = ("inplace",)

    def __init__(self, inplace=False):
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x, y):
        return theano.Apply(self, [x, y], [x.type(), x.type()])

    def perform(self, node, inputs, outputs):
        x, y = inputs
        difference = x - y
        if self.inplace:
            x += y
            outputs[0][0] = x
        else:
            outputs[0][0] = x + y
        outputs[1][0] = difference

    def c_support_code(self):
        return LIKE

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (s, d), fail = inputs, outputs, sub["fail"]
        first = f"if (like(&{s}, {x})) {{ {fail} }}"
        if self.inplace:
            first = f"Py_XDECREF({s}); {s} = {x}; Py_INCREF({s});"
        return f"""
        {first}
        if (like(&{d}, {x})) {{ {fail} }}
        for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) {{
            dtype_{x} a = *(dtype_{x}*)PyArray_GETPTR1({x}, i);
            dtype_{x} b = *(dtype_{x}*)PyArray_GETPTR1({y}, i);
            *(dtype_{x}*)PyArray_GETPTR1({s}, i) = a + b;
            *(dtype_{x}*)PyArray_GETPTR1({d}, i) = a - b;
        }}
        """


def strided(n, dtype="float64"):
    """A vector whose elements are not side by side."""
    return np.arange(2.0 * n).astype(dtype)[::2]
