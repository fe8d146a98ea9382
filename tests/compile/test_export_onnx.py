"""ONNX models of functions: what they compute, what is in them, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.onnx_programs import PROGRAMS
from theano._src.compile.export.export_onnx import export_onnx
from theano.tensor.nnet import conv2d
from theano.tensor.signal.pool import pool_2d

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")


def shared(name, *shape, seed=1):
    draw = np.random.default_rng([seed, *shape]).normal(size=shape)
    return theano.shared((0.1 * draw).astype("float32"), name)


def session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options)


def run(path, values):
    loaded = session(path)
    names = [info.name for info in loaded.get_inputs()]
    return loaded.run(None, dict(zip(names, map(np.asarray, values), strict=True)))


def model_of(f, tmp_path, **options):
    export_onnx(f, tmp_path / "f.onnx", **options)
    return onnx.load(tmp_path / "f.onnx")


def operators(model):
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("name", PROGRAMS)
def test_onnxruntime_computes_what_the_function_computes(name, tmp_path):
    inputs, outputs, values = PROGRAMS[name]
    many = isinstance(outputs, (list, tuple))
    f = theano.function(inputs, list(outputs) if many else outputs)
    wanted = f(*values) if many else [f(*values)]
    model = model_of(f, tmp_path)
    onnx.checker.check_model(model, full_check=True)
    got = run(tmp_path / "f.onnx", values)
    assert len(got) == len(wanted)
    for have, want in zip(got, map(np.asarray, wanted), strict=True):
        assert (have.dtype, have.shape) == (want.dtype, want.shape)
        # float32 on both sides; sums are added up in another order
        np.testing.assert_allclose(have, want, rtol=2e-5, atol=2e-6)


def lenet():
    x = T.ftensor4("x")
    h = x
    for k, (out, channels, border) in enumerate([(6, 1, "half"), (16, 6, "valid")]):
        bias = shared(f"b{k}", out).dimshuffle("x", 0, "x", "x")
        h = T.nnet.relu(conv2d(h, shared(f"w{k}", out, channels, 5, 5), border_mode=border) + bias)
        h = pool_2d(h, (2, 2), ignore_border=True)
    h = T.nnet.relu(T.dot(h.flatten(2), shared("w2", 400, 120)) + shared("b2", 120))
    p = T.nnet.softmax(T.dot(h, shared("w3", 120, 10)) + shared("b3", 10))
    p.name = "p"
    return theano.function([x], p)


def rnn():
    x = T.ftensor3("x")
    U, W, b = shared("U", 4, 8), shared("W", 8, 8), shared("b", 8)
    states, _ = theano.scan(
        lambda x_t, h: T.tanh(T.dot(x_t, U) + T.dot(h, W) + b),
        sequences=x,
        outputs_info=T.zeros((x.shape[1], 8), "float32"),
    )
    y = T.dot(states[-1], shared("V", 8, 2))
    y.name = "y"
    return theano.function([x], y)


# what a machine without Theano runs
ALONE = """
    import sys
    import numpy as np
    import onnxruntime

    class Absent:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("theano", "jax", "jaxlib"):
                raise ImportError(f"{name} is not to be imported")

    sys.meta_path.insert(0, Absent())
    model = onnxruntime.InferenceSession("f.onnx")
    (name,) = [info.name for info in model.get_inputs()]
    given = np.load("given.npz")
    np.savez("made.npz", **{k: model.run(None, {name: given[k]})[0] for k in given})
    assert not {"theano", "jax"} & set(sys.modules)
"""


@pytest.mark.parametrize(
    "make, shapes",
    [(lenet, [(1, 1, 28, 28), (5, 1, 28, 28)]), (rnn, [(6, 3, 4), (1, 1, 4), (9, 2, 4)])],
)
def test_a_process_without_theano_and_jax_runs_the_model_at_any_length(make, shapes, tmp_path):
    f = make()
    export_onnx(f, tmp_path / "f.onnx")
    rng = np.random.default_rng(0)
    given = {f"v{k}": rng.normal(size=s).astype("float32") for k, s in enumerate(shapes)}
    np.savez(tmp_path / "given.npz", **given)
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ALONE)], cwd=tmp_path, env=clean, check=True
    )
    with np.load(tmp_path / "made.npz") as file:
        made = dict(file)
    for key, value in given.items():
        np.testing.assert_allclose(made[key], f(value), rtol=1e-5, atol=1e-6)


# what is in a model


def test_a_net_of_convolutions_is_made_of_the_operators_that_runtimes_fuse(tmp_path):
    model = model_of(lenet(), tmp_path)
    block = ["Conv", "Relu", "MaxPool"]
    assert operators(model) == [*block, *block, "Flatten", "Gemm", "Relu", "Gemm", "Softmax"]


def test_normalizations_and_means_are_operators_each(tmp_path):
    inputs, outputs, _ = PROGRAMS["a residual block"]
    made = operators(model_of(theano.function(inputs, outputs), tmp_path))
    assert made == ["Conv", "BatchNormalization", "BatchNormalization", "Add", "Add", "Relu"]
    x = T.ftensor4("x")
    means = [x.mean(), x.mean(axis=(2, 3)), x.mean(axis=1, keepdims=True)]
    assert operators(model_of(theano.function([x], means), tmp_path)) == ["ReduceMean"] * 3


def test_a_sum_over_another_length_is_no_mean(tmp_path):
    x, y = T.fmatrices("x", "y")
    f = theano.function([x, y], [x.sum(axis=0) / y.shape[0], x.sum(axis=0) / x.shape[1]])
    assert "ReduceMean" not in operators(model_of(f, tmp_path))


def test_shared_variables_are_initializers_of_their_names(tmp_path):
    model = model_of(lenet(), tmp_path)
    names = {tensor.name for tensor in model.graph.initializer}
    assert names == {"w0_flipped", "b0", "w1_flipped", "b1", "w2", "b2", "w3", "b3"}


def test_inputs_outputs_and_dimensions_have_names(tmp_path):
    def described(info):
        shape = info.type.tensor_type.shape
        return info.name, [d.dim_param or d.dim_value for d in shape.dim]

    f = lenet()
    graph = model_of(f, tmp_path).graph
    assert described(graph.input[0]) == ("x", ["x_0", "x_1", "x_2", "x_3"])
    assert described(graph.output[0]) == ("p", ["x_0", 10])
    graph = model_of(f, tmp_path, shapes={"x": ("batch", 1, 28, 28)}).graph
    assert described(graph.input[0]) == ("x", ["batch", 1, 28, 28])
    assert described(graph.output[0]) == ("p", ["batch", 10])


def test_a_node_says_which_line_of_the_user_made_it(tmp_path):
    x = T.fvector("x")
    y = T.tanh(x)  # here
    (node,) = model_of(theano.function([x], y), tmp_path).graph.node
    assert node.doc_string.startswith("test_export_onnx.py:")
    assert node.doc_string.endswith("y = T.tanh(x)  # here")


def test_a_loop_reads_what_does_not_change_from_outside(tmp_path):
    model = model_of(rnn(), tmp_path)
    (loop,) = [node for node in model.graph.node if node.op_type == "Scan"]
    (body,) = [a.g for a in loop.attribute if a.name == "body"]
    assert [info.name for info in body.input] == ["state_0", "x_t"]
    assert {"U", "W"} <= {name for node in body.node for name in node.input}


def test_only_one_branch_of_an_ifelse_is_computed(tmp_path):
    from theano.ifelse import ifelse

    c, x = T.iscalar("c"), T.fvector("x")
    model = model_of(theano.function([c, x], ifelse(c, T.exp(x), T.log(x))), tmp_path)
    assert operators(model)[-1] == "If"
    assert not {"Exp", "Log"} & set(operators(model))


def test_a_default_value_of_an_input_may_be_left_out(tmp_path):
    x, scale = T.fvector("x"), T.fscalar("scale")
    f = theano.function([x, theano.In(scale, value=np.float32(3))], x * scale)
    export_onnx(f, tmp_path / "f.onnx")
    loaded, one = session(tmp_path / "f.onnx"), np.float32([1, 2])
    assert loaded.run(None, {"x": one})[0].tolist() == [3, 6]
    assert loaded.run(None, {"x": one, "scale": np.asarray(5, "float32")})[0].tolist() == [5, 10]


def test_values_of_shared_variables_are_those_of_the_moment(tmp_path):
    w, x = theano.shared(np.float32([1, 2]), "w"), T.fvector("x")
    f = theano.function([x], x + w)
    w.set_value(np.float32([10, 20]))
    export_onnx(f, tmp_path / "f.onnx")
    assert run(tmp_path / "f.onnx", [np.float32([0, 0])])[0].tolist() == [10, 20]


def test_float64_is_written_as_float32_where_that_is_asked_for(tmp_path):
    x = T.dtensor4("x")
    w = theano.shared(np.random.default_rng(0).normal(size=(2, 1, 3, 3)), "w")
    f = theano.function([x], conv2d(x, w).sum(axis=(2, 3)))
    export_onnx(f, tmp_path / "f.onnx", dtype="float32")
    value = np.random.default_rng(1).normal(size=(2, 1, 5, 5))
    (made,) = run(tmp_path / "f.onnx", [value.astype("float32")])
    assert made.dtype == "float32"
    np.testing.assert_allclose(made, f(value), rtol=1e-5)


def test_a_function_of_a_graph_file_is_exported(tmp_path):
    x, w = T.fvector("x"), theano.shared(np.float32([1, 2]), "w")
    theano.save(tmp_path / "f.theano", theano.function([x], x * w))
    model = model_of(theano.load(tmp_path / "f.theano"), tmp_path)
    assert [tensor.name for tensor in model.graph.initializer] == ["w"]
    assert run(tmp_path / "f.onnx", [np.float32([3, 4])])[0].tolist() == [3, 8]


def test_expressions_are_exported_as_functions_of_what_they_depend_on(tmp_path):
    x, y = T.fvectors("x", "y")
    export_onnx(x - y, tmp_path / "f.onnx", inputs=[y, x])
    assert run(tmp_path / "f.onnx", [np.float32([1]), np.float32([5])])[0].tolist() == [4]
    export_onnx([x * 2], tmp_path / "f.onnx")
    assert run(tmp_path / "f.onnx", [np.float32([1])])[0].tolist() == [2]


def test_the_suffix_onnx_makes_export_write_a_model(tmp_path):
    x = T.fvector("x")
    theano.export(theano.function([x], 2 * x), tmp_path / "f.onnx")
    theano.export(2 * x, tmp_path / "f.bin", format="onnx", shapes={x: ("n",)})
    for name in ("f.onnx", "f.bin"):
        assert run(tmp_path / name, [np.float32([1, 2])])[0].tolist() == [2, 4]


def test_outputs_of_a_dict_have_its_keys_for_names(tmp_path):
    x = T.fvector("x")
    f = theano.function([x], {"double": 2 * x, "same": x})
    graph = model_of(f, tmp_path).graph
    assert [info.name for info in graph.output] == ["double", "same"]
    made = run(tmp_path / "f.onnx", [np.float32([1, 2])])
    assert [v.tolist() for v in made] == [[2, 4], [1, 2]]


def test_an_output_may_be_another_output_an_input_or_a_shared_variable(tmp_path):
    x, w = T.fvector("x"), theano.shared(np.float32([7]), "w")
    y = 2 * x
    f = theano.function([x], [y, y, x, w, y + 1])
    export_onnx(f, tmp_path / "f.onnx")
    made = run(tmp_path / "f.onnx", [np.float32([1])])
    assert [v.tolist() for v in made] == [[2], [2], [1], [7], [3]]


def test_one_op_with_a_graph_is_written_at_each_of_its_nodes(tmp_path):
    x, y = T.fvectors("x", "y")
    op = theano.OpFromGraph([x, y], [T.exp(x) - y])
    f = theano.function([x, y], op(op(x, y), op(y, x)))
    export_onnx(f, tmp_path / "f.onnx")
    values = [np.float32([0.1, 0.2]), np.float32([0.3, 0.1])]
    np.testing.assert_allclose(run(tmp_path / "f.onnx", values)[0], f(*values), rtol=1e-6)


def test_gelu_is_written_with_erf_as_runtimes_know_it(tmp_path):
    x = T.fvector("x")
    y = x * (1 + T.erf(x / np.float32(2**0.5))) * np.float32(0.5)
    assert "Erf" in operators(model_of(theano.function([x], y), tmp_path))


# refusals


def test_an_op_without_a_form_is_refused_with_its_line_and_nothing_is_written(tmp_path):
    x = T.fmatrix("x")
    y = T.nlinalg.matrix_inverse(x)  # inverted here
    f = theano.function([x], [T.gammaln(x), y])
    with pytest.raises(NotImplementedError) as caught:
        export_onnx(f, tmp_path / "f.onnx")
    text = str(caught.value)
    assert "MatrixInverse" in text and "inverted here" in text
    assert "(Elemwise)" in text and "it computes gammaln" in text
    assert "There are forms for" in text and "AbstractConv2d" in text
    assert os.listdir(tmp_path) == []


def test_a_use_of_an_op_that_has_no_form_says_why(tmp_path):
    x, axis = T.fmatrix("x"), T.iscalar("axis")
    f = theano.function([x, axis], T.sort(x, axis))
    with pytest.raises(NotImplementedError, match="the axis of a sort takes a constant, got axis"):
        export_onnx(f, tmp_path / "f.onnx")


def test_a_function_with_updates_is_refused_by_the_names_of_what_it_updates(tmp_path):
    count = theano.shared(np.float32(0), "count")
    f = theano.function([], count, updates={count: count + 1})
    with pytest.raises(ValueError, match="one that updates count: an ONNX model has no state"):
        export_onnx(f, tmp_path / "f.onnx")


def test_complex_numbers_are_refused(tmp_path):
    z = T.zvector("z")
    with pytest.raises(NotImplementedError, match="tensors of real numbers, got z of"):
        export_onnx(theano.function([z], z.real), tmp_path / "f.onnx")


@pytest.mark.parametrize(
    "options, text",
    [
        ({"shapes": {"y": ("n",)}}, "shapes has y, and the inputs are x"),
        ({"shapes": {"x": ("n", 2)}}, "shapes takes 1 lengths for x"),
        ({"dtype": "int8"}, "takes 'float32' or 'float16' as dtype, got 'int8'"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, text, tmp_path):
    x = T.fvector("x")
    with pytest.raises(ValueError, match=text):
        export_onnx(theano.function([x], 2 * x), tmp_path / "f.onnx", **options)
    assert os.listdir(tmp_path) == []


def test_what_is_no_function_is_refused(tmp_path):
    with pytest.raises(TypeError, match="takes a compiled function or variables, got 3"):
        export_onnx(3, tmp_path / "f.onnx")


def test_a_failed_export_leaves_the_file_that_was_there(tmp_path):
    x = T.fmatrix("x")
    export_onnx(theano.function([x], 2 * x), tmp_path / "f.onnx")
    before = (tmp_path / "f.onnx").read_bytes()
    with pytest.raises(NotImplementedError):
        export_onnx(theano.function([x], T.nlinalg.matrix_inverse(x)), tmp_path / "f.onnx")
    assert (tmp_path / "f.onnx").read_bytes() == before
    assert os.listdir(tmp_path) == ["f.onnx"]


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    x = T.fvector("x")
    with pytest.raises(ImportError, match=r"takes onnx: .*; install it: pip install onnx$"):
        export_onnx(theano.function([x], 2 * x), tmp_path / "f.onnx")


# every op


def _plain(case):
    """Whether all numbers of a case are finite, and there are some."""
    arrays = [np.asarray(v) for v in case.values]
    return all(a.size and (a.dtype.kind not in "fc" or np.isfinite(a).all()) for a in arrays)


def _outcome(spec, case, path):
    """'agrees', 'refused', 'no kernel', or how the numbers differ."""
    built = case.build(spec.fn)
    mode = theano.Mode("py", None)
    f = theano.function(built.inputs, built.outputs, mode=mode, on_unused_input="ignore")
    try:
        export_onnx(f, path)
    except NotImplementedError:
        return "refused"
    try:
        got = run(path, built.values)
    except ort.capi.onnxruntime_pybind11_state.NotImplemented:
        return "no kernel"
    for have, want in zip(got, map(np.asarray, f(*built.values)), strict=True):
        if (have.dtype, have.shape) != (want.dtype, want.shape):
            return f"{have.dtype}{have.shape} instead of {want.dtype}{want.shape}"
        # elementary functions of the runtime are good to this
        rtol = {"float32": 1e-5, "float64": 1e-9}.get(want.dtype.name, 0)
        rtol = max(rtol, spec.tolerance(want.dtype.name))
        if not np.allclose(have, want, rtol, rtol if want.dtype.kind == "f" else 0, True):
            return f"{have} instead of {want}"
    return "agrees"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_op_that_has_a_form_gives_its_numbers(tmp_path):
    from tests.testing.test_coverage import specs

    found = {}
    for spec in specs():
        for case in [c for c in spec.all_cases() if _plain(c)][:1]:
            found[spec.name, repr(case)] = _outcome(spec, case, tmp_path / "f.onnx")
    counts = {k: list(found.values()).count(k) for k in ("agrees", "refused", "no kernel")}
    assert not {k: v for k, v in found.items() if v not in counts}
    # that most have a form
    assert counts["agrees"] > 300, counts
