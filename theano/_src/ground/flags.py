"""The table of all flags: name, accepted values and description."""

from __future__ import annotations

import functools
import os
import platform as _platform
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from theano._src.ground import version
from theano._src.ground.documented import documented_in
from theano._src.ground.params import (
    BoolParam,
    ConfigParam,
    EnumStr,
    FloatParam,
    IntParam,
    ModeParam,
    StrParam,
    TypedParam,
    integer,
    maybe_bool_param,
    pattern_param,
)
from theano._src.ground.processors import threads


@documented_in("theano.configdefaults")
def local_bitwidth() -> int:
    """Return the number of bits of a pointer in this Python.

    >>> local_bitwidth() in (32, 64)
    True
    """
    return struct.calcsize("P") * 8


@documented_in("theano.configdefaults")
def python_int_bitwidth() -> int:
    """Return the number of bits of a C long, the machine's default integer.

    >>> python_int_bitwidth() in (32, 64)
    True
    """
    return struct.calcsize("l") * 8


def _whole_platform() -> str:
    # NOTE: platform.platform() and platform.processor() would start a process
    return "-".join(filter(None, (_platform.system(), _platform.release(), _platform.machine())))


@documented_in("theano.configdefaults")
def short_platform(r: str | None = None, p: str | None = None) -> str:
    """Return the platform's name with only the first two numbers of the kernel's release.

    >>> short_platform("5.15.0-91-generic", "Linux-5.15.0-91-generic-x86_64-with-glibc2.35")
    'Linux-5.15-generic-x86_64-with-glibc2.35'
    """
    release = _platform.release() if r is None else r
    whole = _whole_platform() if p is None else p
    return whole.replace(release, re.sub(r"^(\d+\.\d+)[\d.]*(-\d+)?", r"\1", release))


class _FormatKeys(Mapping[str, str]):
    """The keys of compiledir_format; each value is computed only if the format uses it."""

    _keys = (
        "device", "gxx_version", "hostname", "numpy_version", "platform", "processor",
        "python_bitwidth", "python_int_bitwidth", "python_version", "short_platform",
        "theano_version",
    )  # fmt: skip

    def __init__(self, device: str) -> None:
        self._device = device

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, key: str) -> str:
        match key:
            case "device":
                return self._device
            case "gxx_version":
                return ""  # g++ compiles no programs here
            case "hostname":
                return _platform.node()
            case "numpy_version":
                from numpy import __version__

                return __version__
            case "platform":
                return _whole_platform()
            case "processor":
                return _platform.machine()
            case "python_bitwidth":
                return str(local_bitwidth())
            case "python_int_bitwidth":
                return str(python_int_bitwidth())
            case "python_version":
                return _platform.python_version()
            case "short_platform":
                return short_platform()
            case "theano_version":
                return version.__version__
        raise KeyError(key)


@functools.lru_cache(maxsize=8)
def _compiledirname(pattern: str, device: str) -> str:
    return "".join(
        c if c.isalnum() or c in "-_./\\" else "_" for c in pattern % _FormatKeys(device)
    )


@documented_in("theano.configdefaults")
def default_base_compiledir() -> str:
    """Return the default folder of all compiled programs.

    >>> os.path.isabs(default_base_compiledir())
    True
    """
    local = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None
    return os.path.join(local, "Theano") if local else os.path.expanduser("~/.theano")


def _compiledir(config: Any) -> str:
    name = _compiledirname(config.compiledir_format, config.device)
    return os.path.join(config.base_compiledir, name)


def _format(given: Any) -> str:
    try:
        _ = str(given) % dict.fromkeys(_FormatKeys._keys, "")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("a bad name or percent sign") from error
    return str(given)


def _path(given: Any) -> str:
    return os.path.expanduser(str(os.fspath(given)))


@functools.cache
def _compiler() -> str:
    import shutil

    first = ("clang++", "g++") if sys.platform == "darwin" else ("g++", "clang++")
    names = (*first, "c++")
    return next(filter(None, map(shutil.which, names)), "")


def _openmp() -> bool:
    return threads() > 1


def _positive(default: int | None, derive: Callable[[Any], int] | None = None) -> TypedParam:
    return TypedParam(default, integer, lambda n: n > 0, derive=derive, takes="a positive integer")


def _tags() -> TypedParam:
    return StrParam("", allow_override=False, takes="tags, separated by ':'")


def _path_param(default: Any) -> TypedParam:
    return TypedParam(default, _path, takes="a path")


_KINDS = {"initial", "previous", "c_contiguous", "f_contiguous", "strided", "wrong_size", "ALL", ""}
_RUNTIME = ("guess_once", "guess_on_shape_change", "time_once", "time_on_shape_change")
_VERSIONS = (
    "0.3", "0.4", "0.4.1", "0.5", "0.7", "0.8", "0.8.1", "0.8.2", "0.9", "0.10",
    "1.0", "1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.0.5",
)  # fmt: skip
_FORMAT = "compiledir_%(platform)s-%(processor)s-%(python_version)s-%(python_bitwidth)s"
_GPU = r"gpu\d*|cuda\d*|opencl(\d+(:\d+)?)?"
_GPU_NAMES = "'gpu', 'gpuN', 'cuda', 'cudaN' or 'openclN:M'"
_DEVICE = rf"cpu\d*|tpu\d*|{_GPU}"
_DEVICE_NAMES = f"'cpu', 'cpuN', 'tpu', 'tpuN', {_GPU_NAMES}"

_OLD_BUG = "Kept so that old programs and files run; the bug of an old release never existed here."
_NO_EFFECT = "Kept so that old programs and files run; it has no effect."


def _seterr(default: str) -> EnumStr:
    options = ("ignore", "warn", "raise", "call", "print", "log", "None")
    return EnumStr(default, *options, allow_override=False)


# fmt: off
FLAGS: tuple[tuple[str, ConfigParam, str], ...] = (
    # the language
    ("floatX", EnumStr("float64", "float32", "float16"),
     "The dtype of matrix(), vector() and similar functions, and of Python floats."),
    ("warn_float64", EnumStr("ignore", "warn", "raise", "pdb"),
     "The action when a tensor variable of dtype float64 is created."),
    ("cast_policy", EnumStr("custom", "numpy+floatX"),
     "How the dtypes of constants and of results are chosen."),
    ("int_division", EnumStr("int", "raise", "floatX"),
     "The result of __div__ of two integers; / is always true division."),
    ("deterministic", EnumStr("default", "more"),
     "'more' repeats bit for bit: engines are chosen by estimates alone, never by measured times."),
    ("on_unused_input", EnumStr("raise", "warn", "ignore"),
     "The action of function() for an input that no output depends on."),
    ("check_input", BoolParam(True),
     "Whether types check the values that compiled code is given."),
    ("check_assumptions", BoolParam(False),
     "Whether compiled functions test what T.assume and hints say about matrices."),
    ("tensor.cmp_sloppy", IntParam(0, lambda n: 0 <= n <= 2, takes="0, 1 or 2"),
     "How loosely DebugMode compares floats: 0 strictly, 1 a bit looser, 2 looser still."),

    # devices
    ("device", pattern_param("cpu", _DEVICE, _DEVICE_NAMES, allow_override=False),
     "Where functions run by default. Lower-case letters only."),
    ("init_gpu_device",
     pattern_param("", "|" + _GPU, "'', " + _GPU_NAMES, allow_override=False),
     "A device to make ready without moving anything to it; takes device=cpu."),
    ("force_device", BoolParam(False, allow_override=False),
     "Raise if the device does not exist, instead of falling back to the CPU with a warning."),
    ("print_active_device", BoolParam(True),
     "Print which device is used when it is made ready."),
    ("contexts", StrParam("", allow_override=False, takes="'name->device' pairs, separated by ';'"),
     "Names for several devices."),
    ("assert_no_cpu_op", EnumStr("ignore", "warn", "raise", "pdb"),
     "The action for an op that stays on the host."),

    # modes, linkers, rewriting
    ("mode", ModeParam("Mode", "FAST_RUN", "FAST_COMPILE", "DebugMode", "DEBUG_MODE",
                       "NanGuardMode", "ProfileMode", "PROFILE_MODE"),
     "The mode of functions without one; 'Mode' is the one of the flags linker and optimizer."),
    ("linker", EnumStr("cvm", "vm", "c|py", "py", "c", "cvm_nogc", "vm_nogc", "c|py_nogc",
                       "xla", "numpy", "native"),
     "The linker when mode is 'Mode'. 'xla', 'numpy' and 'native' force an engine, 'py' runs "
     "perform node by node; the others choose the engine by cost."),
    ("allow_gc", BoolParam(True),
     "Free intermediate results as soon as nothing needs them; False keeps them for reuse."),
    ("optimizer",
     EnumStr("fast_run", "fast_compile", "merge", "None", "o4", "o3", "o2", "o1", "unsafe"),
     "Which rewrites are applied when mode is 'Mode'."),
    ("optimizer_excluding", _tags(),
     "Rewrites with one of these tags are left out of the default mode."),
    ("optimizer_including", _tags(),
     "Rewrites with one of these tags are added to the default mode."),
    ("optimizer_requiring", _tags(),
     "Only rewrites with all of these tags are in the default mode."),
    ("optimizer_verbose", BoolParam(False), "Print each rewrite that is applied."),
    ("on_opt_error", EnumStr("warn", "raise", "pdb", "ignore"),
     "The action when a rewrite raises: skip it with a warning, raise, debug, or skip it."),
    ("on_shape_error", EnumStr("warn", "raise"),
     "The action when infer_shape raises: warn and compute the value for its shape, or raise."),
    ("optdb.position_cutoff", FloatParam(float("inf")),
     "Rewrites from this position on are not run."),
    ("optdb.max_use_ratio", FloatParam(8.0),
     "A rewrite may be applied this many times the number of nodes before it is taken to loop."),
    ("metaopt.verbose", IntParam(0),
     "The messages of rewrites that choose by timing: 0 nothing, 1 warnings, 2 all."),
    ("metaopt.optimizer_excluding", StrParam(""), "Tags left out where rewrites choose by timing."),
    ("metaopt.optimizer_including", StrParam(""), "Tags added where rewrites choose by timing."),
    ("cycle_detection", EnumStr("regular", "fast"),
     "'fast' allows fewer in-place results and checks them sooner."),
    ("check_stack_trace", EnumStr("off", "log", "warn", "raise"),
     "The action when a rewrite makes a node without a line of the user."),
    ("cache_optimizations", BoolParam(False), _NO_EFFECT),
    ("tensor.local_elemwise_fusion", BoolParam(True), "Fuse neighbouring elementwise ops."),
    ("tensor.insert_inplace_optimizer_validate_nb", IntParam(-1),
     "How many in-place results to try before checking them; -1 chooses by the size of the graph."),
    ("experimental.local_alloc_elemwise", BoolParam(True), _NO_EFFECT),
    ("experimental.local_alloc_elemwise_assert", BoolParam(True),
     "Check shapes where the removal of an alloc could hide a mistake."),
    ("conv.assert_shape", BoolParam(False),
     "Check the declared shapes of a convolution against the real ones."),
    ("vm.lazy", maybe_bool_param(None),
     "Evaluate only what is needed: True, False, or None to decide by the graph."),
    ("xla.disk_cache", BoolParam(True), "Keep compiled programs under compiledir."),
    (
        "distributed.timeout",
        IntParam(120),
        "Seconds that a process waits for the others before it says that they do something else.",
    ),
    (
        "distributed.check_arguments",
        BoolParam(False),
        "See in every call that all processes give the same for arguments that are not split.",
    ),
    ("native.enabled", BoolParam(True),
     "Compile functions that are called often to machine code, in the default mode."),
    (
        "plan.python",
        StrParam(""),
        "The Python whose packages compile the programs of theano.distributed.plan; "
        "empty for the one that runs.",
    ),
    ("xla.precision", EnumStr("float32", "high", "fast"),
     "Digits of float32 products on accelerators: those of float32, more than XLA's default, or "
     "XLA's default (bfloat16 on TPUs, TF32 on GPUs)."),
    ("xla.max_keys", IntParam(32), "How many compiled forms of one program are kept."),
    ("xla.background", maybe_bool_param(None),
     "Compile in a thread while calls go on with NumPy: True, False, or None to do so where there "
     "are two processors, unless deterministic is 'more'."),
    ("xla.verbose", BoolParam(False),
     "Say on the terminal which programs took half a second or more to compile."),
    ("xla.announce_after", FloatParam(5.0),
     "Seconds after which a line on stderr says that a call waits for a compilation; 0 for never."),
    ("xla.early", BoolParam(False),
     "Compile a function at its second call, if XLA is estimated to be faster: do not wait until "
     "compiling has paid."),
    ("xla.volatile_after", IntParam(8), "How many sizes make a part of a program run on NumPy."),
    ("scan.allow_gc", BoolParam(False), "Free intermediate results inside scan."),
    ("scan.allow_output_prealloc", BoolParam(True),
     "Write the outputs of scan into buffers made beforehand."),
    ("scan.debug", BoolParam(False), "Tell more of what scan does."),

    # errors, debugging
    ("exception_verbosity", EnumStr("low", "high"),
     "'high' adds the graph below the failing node to errors, and our frames to tracebacks."),
    ("traceback.limit", IntParam(8), "How many lines of the user's a node remembers; -1 for all."),
    ("traceback.compile_limit", IntParam(0), "The same for nodes made while compiling."),
    ("compute_test_value", EnumStr("off", "ignore", "warn", "raise", "pdb"),
     "Compute with tag.test_value while the graph is built; the words say what to do without one."),
    ("compute_test_value_opt", EnumStr("off", "ignore", "warn", "raise", "pdb"),
     "As compute_test_value, while rewriting."),
    ("print_test_value", BoolParam(False), "Show the test value where a variable is printed."),
    ("pickle_test_value", BoolParam(True), "Pickle test values with their variables."),
    ("unpickle_function", BoolParam(True), "False: a pickled function is read as None."),
    ("reoptimize_unpickled_function", BoolParam(True),
     "Rewrite a function again when it is unpickled; False, while it is pickled too, does not."),
    ("numpy.seterr_all", _seterr("ignore"),
     "NumPy's action for floating-point errors in a function; 'None' leaves NumPy as it is."),
    ("numpy.seterr_divide", _seterr("None"),
     "The same for division by zero; 'None' follows seterr_all."),
    ("numpy.seterr_over", _seterr("None"), "The same for overflow; 'None' follows seterr_all."),
    ("numpy.seterr_under", _seterr("None"), "The same for underflow; 'None' follows seterr_all."),
    ("numpy.seterr_invalid", _seterr("None"),
     "The same for invalid operations; 'None' follows seterr_all."),
    ("DebugMode.patience", IntParam(10),
     "How many times DebugMode rewrites a graph, looking for differences."),
    ("DebugMode.check_c", BoolParam(True), "DebugMode runs compiled implementations."),
    ("DebugMode.check_py", BoolParam(True), "DebugMode runs Python implementations."),
    ("DebugMode.check_finite", BoolParam(True), "DebugMode complains about NaN and infinity."),
    ("DebugMode.check_strides", IntParam(1, lambda n: 0 <= n <= 2, takes="0, 1 or 2"),
     "The action when implementations differ in strides: 0 nothing, 1 warn, 2 raise."),
    ("DebugMode.warn_input_not_reused", BoolParam(True),
     "DebugMode warns when destroy_map or view_map promises a reuse that does not happen."),
    ("DebugMode.check_preallocated_output",
     StrParam("", lambda text: set(text.split(":")) <= _KINDS,
              takes="a ':'-separated list of " + ", ".join(map(repr, sorted(_KINDS - {""})))),
     "Kinds of memory that DebugMode hands to ops as output storage."),
    ("DebugMode.check_preallocated_output_ndim", _positive(4),
     "Over how many dimensions DebugMode tries all strides."),
    ("NanGuardMode.nan_is_error", BoolParam(True), "NanGuardMode minds NaN."),
    ("NanGuardMode.inf_is_error", BoolParam(True), "NanGuardMode minds infinity."),
    ("NanGuardMode.big_is_error", BoolParam(True), "NanGuardMode minds values beyond 1e10."),
    ("NanGuardMode.action", EnumStr("raise", "warn", "pdb"), "The action of NanGuardMode."),
    ("unittests.rseed", StrParam("666", lambda text: text == "random" or text.lstrip("-").isdigit(),
                                 takes="an integer or 'random'"),
     "The seed of randomised tests."),

    # profiling
    ("profile", BoolParam(False), "Measure the time of functions."),
    ("profile_memory", BoolParam(False), "Measure the memory of functions; takes profile=True."),
    ("profile_optimizer", BoolParam(False), "Measure the time of rewriting; takes profile=True."),
    ("print_global_stats", BoolParam(False), "Print totals when the program ends."),
    ("profiling.time_thunks", BoolParam(True), "Measure each node."),
    ("profiling.n_apply", _positive(20), "How many Apply nodes to print."),
    ("profiling.n_ops", _positive(20), "How many Ops to print."),
    ("profiling.output_line_width", _positive(512), "How long a printed line may be."),
    ("profiling.min_memory_size", IntParam(1024, lambda n: n >= 0, takes="a number of bytes"),
     "Nodes with smaller outputs are left out of the memory profile."),
    ("profiling.min_peak_memory", BoolParam(False),
     "Print the least peak memory that an order could have."),
    ("profiling.destination", StrParam("stderr", takes="'stderr', 'stdout' or a file name"),
     "Where the profile is written."),
    ("profiling.debugprint", BoolParam(False), "Print the graphs of profiled functions."),
    ("profiling.ignore_first_call", BoolParam(False),
     "Leave the first call, which may compile, out."),
    ("ProfileMode.n_apply_to_print", _positive(15), "How many Apply nodes ProfileMode prints."),
    ("ProfileMode.n_ops_to_print", _positive(20), "How many Ops ProfileMode prints."),
    ("ProfileMode.min_memory_size", IntParam(1024),
     "Smaller outputs are left out of its memory profile."),
    ("ProfileMode.profile_memory", BoolParam(False), "ProfileMode measures memory."),

    # storage of compiled programs
    ("base_compiledir",
     TypedParam(default_base_compiledir, _path, allow_override=False, takes="a path"),
     "The folder for the compiled programs of all platforms."),
    ("compiledir_format", TypedParam(_FORMAT, _format, allow_override=False,
                                     takes="a text with %(name)s for the names it knows"),
     "The name of the folder in base_compiledir for this platform. Names: "
     + ", ".join(_FormatKeys._keys) + "."),
    ("compiledir",
     TypedParam(None, _path, allow_override=False, derive=_compiledir, takes="a path"),
     "The folder for the compiled programs of this platform."),
    ("compile.wait", _positive(5),
     "At most so many seconds between attempts to take the lock of compiledir."),
    ("compile.timeout", _positive(None, derive=lambda config: config.compile.wait * 24),
     "compile.wait * 24 unless given. " + _NO_EFFECT),
    ("nocleanup", BoolParam(False), "Keep the files of what did not compile."),

    # C++, for ops with C code
    ("cxx", StrParam(_compiler, takes="the name or path of a compiler, or ''"),
     "The C++ compiler, for ops with C code; '' is none, and such ops then run in Python."),
    ("gcc.cxxflags", StrParam(""), "Extra arguments for the C++ compiler."),
    ("blas.ldflags", StrParam("-lblas"),
     "Arguments to link a BLAS; NumPy and XLA bring their own."),
    ("blas.check_openmp", BoolParam(True), _NO_EFFECT),
    ("openmp", BoolParam(_openmp),
     "Allow ops to use several threads; OMP_NUM_THREADS=1 makes it False."),
    ("openmp_elemwise_minsize", _positive(200000), "Smaller vectors use one thread."),
    ("lib.amdlibm", BoolParam(False), _NO_EFFECT),
    ("cmodule.warn_no_version", BoolParam(False),
     "Warn about C code that cannot be cached for want of a version."),
    ("cmodule.mac_framework_link", BoolParam(False), _NO_EFFECT),
    ("cmodule.remove_gxx_opt", BoolParam(False), "Leave -O out of the C++ compiler's arguments."),
    ("cmodule.compilation_warning", BoolParam(False), "Print the C++ compiler's warnings."),
    ("cmodule.preload_cache", BoolParam(False), _NO_EFFECT),
    ("cmodule.age_thresh_use", IntParam(60 * 60 * 24 * 24),
     "Seconds without use after which theano-cache cleanup removes a program."),
    ("cmodule.debug", BoolParam(False), "Define DEBUG in C code."),

    # old back-ends: their flags are accepted and have no effect
    ("cuda.root", _path_param(lambda: os.environ.get("CUDA_ROOT") or "/usr/local/cuda"),
     "Where CUDA is installed."),
    ("cuda.include_path", _path_param(""), _NO_EFFECT),
    ("cuda.enabled", BoolParam(True), _NO_EFFECT),
    ("cublas.lib", StrParam("cublas"), _NO_EFFECT),
    ("pycuda.init", BoolParam(False), _NO_EFFECT),
    ("nvcc.fastmath", BoolParam(False), _NO_EFFECT),
    ("nvcc.flags", StrParam(""), _NO_EFFECT),
    ("nvcc.compiler_bindir", StrParam(""), _NO_EFFECT),
    ("nvcc.cudafe", EnumStr("heuristic", "always", "never"), _NO_EFFECT),
    ("lib.cnmem", FloatParam(0.0), _NO_EFFECT),
    ("enable_initial_driver_test", BoolParam(True), _NO_EFFECT),
    ("gpu.local_elemwise_fusion", BoolParam(True), _NO_EFFECT),
    ("gpuelemwise.sync", BoolParam(True), _NO_EFFECT),
    ("gpuarray.sync", BoolParam(False), _NO_EFFECT),
    ("gpuarray.preallocate", FloatParam(0.0), _NO_EFFECT),
    ("gpuarray.sched", EnumStr("default", "multi", "single"), _NO_EFFECT),
    ("gpuarray.single_stream", BoolParam(True), _NO_EFFECT),
    ("gpuarray.cache_path",
     TypedParam(None, _path, takes="a path",
                derive=lambda config: os.path.join(config.compiledir, "gpuarray_kernels")),
     _NO_EFFECT),
    ("dnn.enabled", EnumStr("auto", "True", "False", "no_check"), _NO_EFFECT),
    ("dnn.base_path", _path_param(""), _NO_EFFECT),
    ("dnn.include_path", _path_param(""), _NO_EFFECT),
    ("dnn.library_path", _path_param(""), _NO_EFFECT),
    ("dnn.bin_path", _path_param(""), _NO_EFFECT),
    ("dnn.conv.workmem", EnumStr("small", "none", "large"), _NO_EFFECT),
    ("dnn.conv.workmem_bwd", StrParam(""), _NO_EFFECT),
    ("dnn.conv.algo_fwd", EnumStr("small", "none", "large", "fft", "fft_tiling", "winograd",
                                  "winograd_non_fused", *_RUNTIME), _NO_EFFECT),
    ("dnn.conv.algo_bwd", StrParam(""), _NO_EFFECT),
    ("dnn.conv.algo_bwd_data", EnumStr("none", "deterministic", "fft", "fft_tiling", "winograd",
                                       "winograd_non_fused", *_RUNTIME), _NO_EFFECT),
    ("dnn.conv.algo_bwd_filter", EnumStr("none", "deterministic", "fft", "small", "fft_tiling",
                                         "winograd_non_fused", *_RUNTIME), _NO_EFFECT),
    ("dnn.conv.precision", EnumStr("as_input_f32", "as_input", "float16", "float32", "float64"),
     _NO_EFFECT),
    ("magma.include_path", _path_param(""), _NO_EFFECT),
    ("magma.library_path", _path_param(""), _NO_EFFECT),
    ("magma.enabled", BoolParam(False), _NO_EFFECT),
    ("ctc.root", _path_param(""), _NO_EFFECT),
    ("experimental.unpickle_gpu_on_cpu", BoolParam(False),
     "Read pickled GPU arrays as NumPy arrays."),
    ("experimental.mrg", BoolParam(False), _NO_EFFECT),
    ("op.set_flops", BoolParam(False), _NO_EFFECT),

    # warnings about bugs in old versions
    ("warn.ignore_bug_before", EnumStr("0.6", "None", "all", *_VERSIONS, allow_override=False),
     "No warnings about bugs fixed before this version; 'all' means none, 'None' all of them."),
    ("warn.argmax_pushdown_bug", BoolParam(False), _OLD_BUG),
    ("warn.gpusum_01_011_0111_bug", BoolParam(False), _OLD_BUG),
    ("warn.sum_sum_bug", BoolParam(False), _OLD_BUG),
    ("warn.sum_div_dimshuffle_bug", BoolParam(False), _OLD_BUG),
    ("warn.subtensor_merge_bug", BoolParam(False), _OLD_BUG),
    ("warn.gpu_set_subtensor1", BoolParam(False), _OLD_BUG),
    ("warn.vm_gc_bug", BoolParam(False), _OLD_BUG),
    ("warn.signal_conv2d_interface", BoolParam(False), _OLD_BUG),
    ("warn.reduce_join", BoolParam(False), _OLD_BUG),
    ("warn.inc_set_subtensor1", BoolParam(False), _OLD_BUG),
    ("warn.round", BoolParam(False), _OLD_BUG),
    ("warn.inc_subtensor1_opt", BoolParam(False), _OLD_BUG),
    ("warn.identify_1pexp_bug", BoolParam(False), _OLD_BUG),
)
# fmt: on
