"""Programs that ask for Theano's CUDA back-ends hear that there are none, in the way they ask."""

import importlib

import numpy as np
import pytest

import theano
import theano.gpuarray.dnn
import theano.sandbox.cuda.dnn
import theano.tensor as T
from theano.gpuarray import basic_ops, opt, type as gpuarray_type
from theano.misc import gnumpy_utils, pycuda_init, pycuda_utils
from theano.sandbox import cuda
from theano.sandbox.cuda import rng_curand, var
from theano.sandbox.cuda.basic_ops import gpu_alloc_empty, gpu_contiguous
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d

dnn = theano.sandbox.cuda.dnn
rng = np.random.default_rng(2)
IMAGES = rng.normal(size=(2, 3, 6, 5))
FILTERS = rng.normal(size=(4, 3, 3, 2))
COMPUTES_BY = pytest.warns(UserWarning, match=r"computes by theano\.tensor\.")


def test_predicates_and_flags_say_no():
    assert cuda.cuda_available is cuda.cuda_enabled is theano.gpuarray.pygpu_activated is False
    assert theano.sandbox.gpuarray.pygpu_activated is pycuda_init.pycuda_available is False
    assert not dnn.dnn_available() and not theano.gpuarray.dnn.dnn_available(None)
    assert not dnn.dnn_present() and "cuDNN is not used" in dnn.dnn_available.msg
    assert dnn.version(raises=False) == -1
    assert not cuda.nvcc_compiler.is_nvcc_available()
    assert theano.config.device == "cpu" and gpuarray_type.list_contexts() == []


def test_a_device_that_is_asked_for_is_missed_with_a_warning_and_forced_with_an_error():
    with pytest.warns(UserWarning, match="gpu0 is not available"):
        cuda.use("gpu0")
    with pytest.raises(EnvironmentError, match="gpu1 is not available"):
        cuda.use("gpu1", force=True)
    with pytest.raises(EnvironmentError, match="cuda is not available"):
        theano.gpuarray.use("cuda", force=True)
    assert cuda.use.device_number is None
    cuda.unuse(), cuda.synchronize(), cuda.use("cpu")
    with pytest.raises(ValueError, match="'dev0' is not defined"):
        theano.gpuarray.get_context("dev0")
    with pytest.raises(RuntimeError, match="cuDNN has no version"):
        dnn.version()


def test_without_a_gpu_there_is_no_name_that_tells_which_is_in_use():
    # programs catch the AttributeError and say that they use the CPU
    for name in ("active_device_number", "active_device_name"):
        with pytest.raises(AttributeError, match="CUDA back-end of Theano 0"):
            getattr(cuda, name)


EXPLAINED = {
    "CudaNdarrayType": (lambda: cuda.CudaNdarrayType(broadcastable=(False,)), "TensorType"),
    "CudaNdarray": (lambda: cuda.CudaNdarray(np.ones(3)), "NumPy arrays"),
    "GpuArrayType": (lambda: gpuarray_type.GpuArrayType("float32", (False,)), "TensorType"),
    "Kernel": (lambda: basic_ops.Kernel(code="", name="k", params=[]), "compute"),
    "to_gpuarray": (lambda: pycuda_utils.to_gpuarray(1), "NumPy arrays"),
    "garray_to_cudandarray": (lambda: gnumpy_utils.garray_to_cudandarray(1), "NumPy arrays"),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_needs_cuda_says_so_and_what_to_do(name):
    call, instead = EXPLAINED[name]
    with pytest.raises(
        NotImplementedError, match=f"{name} is not carried: there is no CUDA .*{instead}"
    ):
        call()


def test_attributes_of_what_is_absent_explain_themselves():
    with pytest.raises(
        AttributeError, match=r"CudaNdarray\.zeros is not carried: there is no CUDA"
    ):
        cuda.CudaNdarray.zeros((2, 3))
    with pytest.raises(AttributeError, match=r"GpuGemm is not carried.*theano.tensor"):
        cuda.blas.GpuGemm  # noqa: B018
    with pytest.raises(AttributeError, match=r"GpuGemm is not carried.*theano.tensor"):
        theano.gpuarray.blas.GpuGemm  # noqa: B018
    with pytest.raises(RuntimeError, match=r"jax\.devices"):
        cuda.cuda_ndarray.cuda_ndarray.mem_info()


IMPORTED = [
    "from theano.gpuarray.basic_ops import GpuAlloc as name",
    "from theano.gpuarray.elemwise import GpuElemwise as name",
    "from theano.gpuarray import GpuAlloc as name",
    "from theano.gpuarray import nnet; from theano.gpuarray.nnet import GpuSoftmax as name",
    "from theano.sandbox.cuda.blas import GpuGemm as name",
    "from theano.sandbox.cuda.nnet import GpuSoftmax as name",
    "import theano.sandbox.cuda.cula; from theano.sandbox.cuda.cula import GpuSolve as name",
    "from theano.sandbox.gpuarray.type import GpuArrayType as name",
]


@pytest.mark.parametrize("statement", IMPORTED)
def test_a_name_that_needs_a_gpu_can_be_imported_and_explains_itself_when_it_is_used(statement):
    """P5: GRU4Rec imports such names at its top, and runs on CPUs."""
    found, again = {}, {}
    exec(statement, found)
    exec(statement, again)
    name = found["name"]
    assert again["name"] is name
    assert not isinstance(T.dot, name)
    says = rf"theano\..*{name.__name__} is not carried: .*; .*theano\.tensor"
    with pytest.raises(NotImplementedError, match=says):
        name(1, inplace=True)
    with pytest.raises(
        AttributeError, match=rf"theano\..*{name.__name__}\.attribute is not carried"
    ):
        name.attribute  # noqa: B018

    class Derived(name, theano.Op):
        """A program's own op for GPUs, which it makes on a GPU alone."""

    with pytest.raises(NotImplementedError, match=says):
        Derived()


def test_names_that_have_nothing_of_a_gpu_are_what_they_are():
    """P5"""
    assert basic_ops.HideC is theano.gof.HideC
    from theano.gpuarray.subtensor import HideC

    assert HideC is theano.gof.HideC


def test_a_program_that_probes_for_a_name_of_a_back_end_hears_that_it_is_absent():
    """P5: an import that succeeds makes no name that hasattr would find."""
    from theano.gpuarray.blas import GpuGemm  # noqa: F401

    assert not hasattr(theano.gpuarray.blas, "GpuGemm")
    with pytest.raises(ModuleNotFoundError, match=r"theano\.gpuarray\.nerv is not carried"):
        importlib.import_module("theano.gpuarray.nerv")


def test_the_params_of_an_op_for_gpus_can_be_declared():
    """P5: GRU4Rec declares them in the class of its op."""
    declared = theano.gof.ParamsType(
        context=gpuarray_type.gpu_context_type, keep=theano.scalar.bool
    )
    assert declared.has_type(gpuarray_type.gpu_context_type)
    with pytest.raises(TypeError, match="'dev0' is no device: there is no CUDA back-end"):
        gpuarray_type.gpu_context_type.filter("dev0")


def test_no_variable_is_on_a_gpu():
    x = theano.shared(np.ones(3, "float32"))
    assert not isinstance(x.type, cuda.CudaNdarrayType)
    assert not isinstance(x, var.CudaNdarraySharedVariable | gpuarray_type.GpuArrayVariable)
    with pytest.raises(ValueError, match="no variable is on a device"):
        basic_ops.infer_context_name(x)


def test_moving_a_variable_leaves_it_as_it_is():
    x = T.fmatrix("x")
    for move in (
        cuda.gpu_from_host,
        cuda.host_from_gpu,
        gpu_contiguous,
        cuda.as_cuda_ndarray_variable,
        basic_ops.as_gpuarray_variable,
        basic_ops.GpuFromHost("dev0"),
        basic_ops.GpuContiguous(),
    ):
        assert move(x) is x
    assert basic_ops.GpuEye("float32", None)(2, 3, 1).eval().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert cuda.fvector("v").type == T.fvector


def test_shared_variables_for_gpus_are_shared_variables():
    w = var.float32_shared_constructor(np.ones((2, 1), "float32"), "w", broadcastable=(False, True))
    assert w.name == "w" and w.broadcastable == (False, True)
    assert w.get_value().tolist() == [[1.0], [1.0]]
    with pytest.raises(TypeError, match="takes an array of float32"):
        var.float32_shared_constructor(np.ones(2))
    made = gpuarray_type.gpuarray_shared_constructor(np.arange(3), name="v", target="dev0")
    assert made.get_value().tolist() == [0, 1, 2]


def test_rewrites_for_gpus_are_taken_and_not_used():
    @opt.register_opt("fast_compile")
    @opt.op_lifter([T.Dot])
    @opt.register_opt2([T.Dot], "fast_compile")
    def rule(op, context_name, inputs, outputs):
        return None

    assert rule.__name__ == "rule"
    cuda.opt.gpu_optimizer.register("rule", rule, "fast_run")


@pytest.mark.parametrize("base", [(cuda.GpuOp,), (basic_ops.GpuKernelBase, theano.Op)])
def test_an_op_written_in_cuda_can_be_made_but_not_run(base):
    class Mine(*base):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

    x = T.fvector("x")
    y = Mine()(x)
    assert y.type == T.fvector
    with pytest.raises(EnvironmentError, match=r"Mine is written in CUDA.*compute"):
        theano.function([x], y)(np.ones(2, "float32"))


def test_convolutions_of_cudnn_compute_by_ours():
    x, w = T.dtensor4("x"), T.dtensor4("w")
    for conv_mode, flip in [("conv", True), ("cross", False)]:
        with COMPUTES_BY:
            made = dnn.dnn_conv(x, w, (1, 0), (2, 1), conv_mode=conv_mode, algo="small")
        want = T.nnet.conv2d(x, w, border_mode=(1, 0), subsample=(2, 1), filter_flip=flip)
        at = {x: IMAGES, w: FILTERS}
        np.testing.assert_array_equal(made.eval(at), want.eval(at))
    with COMPUTES_BY:
        made = cuda.blas.GpuCorrMM("half", (1, 1))(x, w)
    assert made.eval(at).shape == (2, 4, 6, 6)
    with pytest.raises(ValueError, match="'conv' or 'cross'"):
        dnn.GpuDnnConvDesc("valid", conv_mode="full")
    shape = dnn.GpuDnnConv.get_out_shape((2, 3, 6, 5), (4, 3, 3, 2), "full", (2, 1))
    assert shape == (2, 4, 4, 6)


def test_a_deconvolution_written_with_ops_of_cudnn_is_the_gradient_of_images():
    x, w = T.dtensor4("x"), T.dtensor4("w")
    size = x.shape[0], w.shape[1], x.shape[2] * 2, x.shape[3] * 2
    img, kerns, out = gpu_contiguous(x), gpu_contiguous(w), gpu_alloc_empty(*size)
    desc = dnn.GpuDnnConvDesc(border_mode=(2, 2), subsample=(2, 2), conv_mode="conv")
    with COMPUTES_BY:
        made = dnn.GpuDnnConvGradI()(kerns, img, out, desc(out.shape, kerns.shape))
    given, filters = rng.normal(size=(1, 3, 4, 4)), rng.normal(size=(3, 2, 5, 5))
    at = {x: given, w: filters}
    value = made.eval(at)
    assert value.shape == (1, 2, 8, 8)
    # the adjoint: <conv(v), x> = <v, its transpose(x)>
    v = rng.normal(size=(1, 2, 8, 8))
    ahead = T.nnet.conv2d(T.constant(v), w, border_mode=(2, 2), subsample=(2, 2)).eval({w: filters})
    np.testing.assert_allclose((ahead * given).sum(), (v * value).sum(), rtol=1e-12)


def test_pooling_softmax_and_normalization_of_cudnn_compute_by_ours():
    x = T.dtensor4("x")
    with COMPUTES_BY:
        made = dnn.dnn_pool(x, (2, 2), mode="average")
    want = pool_2d(x, (2, 2), True, (1, 1), mode="average_inc_pad")
    np.testing.assert_array_equal(made.eval({x: IMAGES}), want.eval({x: IMAGES}))
    over_channels = dnn.GpuDnnSoftmax("bc01", "accurate", "channel")(x).eval({x: IMAGES})
    np.testing.assert_allclose(over_channels.sum(1), 1)
    whole = dnn.GpuDnnSoftmax("bc01", "accurate", "instance")(x).eval({x: IMAGES})
    np.testing.assert_allclose(whole.sum((1, 2, 3)), 1)
    scale, shift = T.constant(np.ones((1, 3, 1, 1))), T.constant(np.zeros((1, 3, 1, 1)))
    with COMPUTES_BY:
        y, mean, invstd = dnn.dnn_batch_normalization_train(x, scale, shift, "spatial")
    np.testing.assert_allclose(y.eval({x: IMAGES}).mean((0, 2, 3)), 0, atol=1e-12)
    with COMPUTES_BY:
        z = dnn.dnn_batch_normalization_test(x, scale, shift, mean, invstd**-2, "spatial", 1e-5)
    np.testing.assert_allclose(z.eval({x: IMAGES}), y.eval({x: IMAGES}), rtol=1e-4)


def test_random_streams_for_gpus_are_those_of_mrg():
    assert rng_curand.CURAND_RandomStreams is MRG_RandomStreams
