"""Documented names that are not implemented: why, and what to use instead.

``from module import name`` returns an object that raises an explanation when it is used, because
programs import names that they use only on a GPU. ``module.name`` raises, ``hasattr`` is False.
"""

from typing import Any, NoReturn

Reasons = dict[str, tuple[str, str]]

# A name ending in `.*` matches itself and everything below it. The longest match is used.
# fmt: off
ABSENT: Reasons = {
    "theano.tensor.random.*": (
        "it is how Theano-PyMC draws: by ops whose gradients and shapes other packages ask for",
        "theano.tensor.shared_randomstreams.RandomStreams draws from the same distributions",
    ),
    "theano.link.jax.*": (
        "every function may run on XLA through JAX without it",
        "call theano.function; the linker 'xla' runs all of a graph there",
    ),
    "theano.compile.mode.JAX": (
        "every mode may run on XLA through JAX",
        "theano.Mode(linker='xla') runs all of a graph there",
    ),
    "theano.gof.op.simple_meth": ("it is an internal of COp", "write the method of the Op"),
    "theano.gof.op.apply_meth": ("it is an internal of COp", "write the method of the Op"),
    "theano.sandbox.cuda.*": (
        "it is an internal of the CUDA back-end of Theano 0.7",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
    "theano.gpuarray.*": (
        "it is an internal of the libgpuarray back-end",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
    "theano.sandbox.gpuarray.*": (
        "it is an internal of the libgpuarray back-end",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
} | {
    f"theano.tensor.io.{name}": (
        "messages between processes as nodes of a graph need an order that no engine promises",
        "exchange the values with mpi4py between calls of a function",
    )
    for name in (
        "MPIRecv", "MPIRecvWait", "MPISend", "MPISendWait", "irecv", "isend", "recv", "send",
        "mpi_send_wait_key", "mpi_tag_key",
    )
} | {
    f"theano.tensor.signal.{name}.fft": (
        "the documents list it as work to be done",
        "multiply Fourier transforms by theano.tensor.fft, or convolve by conv2d",
    )
    for name in ("conv", "downsample")
}

# Internals of theano.gof in version 1.0.5: what they did there, and what to use here.
_INTERNALS = {
    "cutils.*": ("it ran the C code of whole graphs",
                 "each node with C code is a module of its own, which theano.function runs"),
    "cmodule.*": ("it kept the modules of whole graphs on the disk",
                  "theano-cache lists and removes what is kept; GCC_compiler.compile_str "
                  "compiles a text"),
    "cc.*": ("it wrote the C code of whole graphs",
             "CLinkerOp and CLinkerType have the methods by which ops and types give theirs"),
    "unify.*": ("it is how Theano matched patterns",
                "write a theano.gof.PatternSub, or a theano.extend.Rule on holes"),
    "callcache.*": ("nothing here keeps calls on disk", "functools.cache keeps them in memory"),
    "lazylinker_c.*": ("it is the loop of Theano's linker in C",
                       "theano.gof.vm has Loop, LoopGC and Stack in Python"),
    "compiledir.*": ("it prints and clears Theano's folder of C modules",
                     "the command theano-cache does"),
    "op.GCC_compiler": ("it was imported there", "theano.gof.cmodule has it"),
    "type.CDataTypeConstant": ("constants that hold a pointer of C are plain constants",
                               "make a theano.gof.Constant of a CDataType"),
    "ops_with_inner_function": ("ops say themselves which graphs they hold",
                                "ask the op for inner_graphs"),
    "op.ops_with_inner_function": ("ops say themselves which graphs they hold",
                                   "ask the op for inner_graphs"),
    "graph.nodes_constructed": ("no node is announced while it is made",
                                "theano.gof.opt.inherit_stack_trace gives new nodes their lines"),
    "opt.GraphToGPULocalOptGroup": ("it moves ops to the libgpuarray back-end",
                                    "the engine chooses the device"),
    "opt.LocalMetaOptimizer": ("it times several forms of a node while a graph is compiled",
                               "the linker 'cvm' measures both engines; see printing.explain"),
    "opt.LocalMetaOptimizerSkipAssertionError": ("it belongs to LocalMetaOptimizer",
                                                 "see theano.gof.opt.LocalMetaOptimizer"),
    "opt.MergeFeature": ("merging needs no feature here", "run theano.gof.MergeOptimizer"),
    "opt.merge_dict": ("it adds up profiles", "collections.Counter adds dicts"),
    "toolbox.GetCheckpoint": ("it is an internal of History", "fgraph.checkpoint() is the same"),
    "toolbox.LambdExtract": ("it is an internal of History", "fgraph.revert(...) is the same"),
    "link.log_thunk_trace": ("it prints what raise_with_op has put into the error",
                             "print the error"),
    "link.thunk_hook": ("errors have their text already, whatever sys.excepthook is",
                        "raise_with_op adds the node to an error"),
    "vm.calculate_reallocate_info": ("memory is planned by the engines",
                                     "theano.config.profile_memory shows it"),
    "utils.MetaObject": ("__props__ need no metaclass", "derive from theano.gof.utils.object2"),
    "sched.memodict": ("nothing used it but the scheduler", "functools.cache is the same"),
    "sched.cmp": ("it is Python 2's", "write (a > b) - (a < b)"),
    "destroyhandler.ProtocolError": ("a feature that is notified of a missing node raises "
                                     "Python's errors", "catch KeyError or ValueError"),
} | {
    f"utils.{name}": ("nothing in Theano used it", "write it in your program")
    for name in ("ABORT", "ANY_TYPE", "D", "FAILURE", "FALL_THROUGH", "Keyword", "RETRY",
                 "comm_guard", "simple_types", "type_guard")
} | {
    f"{module}.undef": ("it marks arguments that were not given", "use a mark of your own")
    for module in ("link", "utils")
} | {
    f"compilelock.{name}": ("it is an internal of the lock", "get_lock and release_lock are there")
    for name in ("Unlocker", "hostname", "lock", "notset", "refresh_lock")
} | {
    f"{module}.{name}": ("Theano's module imported it from elsewhere", f"use {home}")
    for module in ("cc", "compilelock", "destroyhandler", "fg", "graph", "op", "opt", "optdb",
                   "toolbox", "type", "utils", "vm")
    for name, home in (("config", "theano.config"), ("change_flags", "theano.configparser"),
                       ("OrderedSet", "a dict, which keeps its order"),
                       ("DefaultOrderedDict", "collections.defaultdict"),
                       ("integer_types", "int"), ("string_types", "str"),
                       ("PY3", "sys.version_info"))
}
ABSENT |= {f"theano.gof.{name}": why for name, why in _INTERNALS.items()}
# Theano-PyMC has these modules under other names
_MOVED = {
    "cc": "link.c.basic", "cmodule": "link.c.cmodule", "cutils": "link.c.cutils",
    "compiledir": "compile.compiledir", "compilelock": "compile.compilelock",
    "graph": "graph.basic", "lazylinker_c": "link.c.lazylinker_c", "link": "link.utils",
    "vm": "link.vm",
}
for _name, _why in _INTERNALS.items():
    _module, _dot, _rest = _name.partition(".")
    ABSENT[f"theano.{_MOVED.get(_module, f'graph.{_module}')}{_dot}{_rest}"] = _why

# Modules of the GPU back-ends whose names are all absent: Theano imports them without a GPU too.
GPU_MODULES = {
    f"{package}.{name}"
    for package, names in {
        "theano.sandbox.cuda": "GpuConv3D GpuConvGrad3D GpuConvTransp3D blocksparse cula elemwise "
                               "extra_ops kernel_codegen neighbours nnet opt_util",
        "theano.gpuarray": "blocksparse conv ctc cudnn_defs elemwise extra_ops fft "
                           "kernel_codegen linalg multinomial neighbours nnet opt_util optdb "
                           "reduction rng_mrg sort",
        "theano.sandbox.gpuarray": "basic_ops blas comp conv conv2d elemwise extra_ops fp16_help "
                                   "kernel_codegen neighbours nerv nnet opt opt_util subtensor "
                                   "type",
    }.items()
    for name in names.split()
}
# fmt: on


def reason(name: str) -> str | None:
    """Return why the documented `name` is not implemented, or None if it should be.

    >>> reason("theano.tensor.dot") is None
    True
    >>> print(reason("theano.sandbox.cuda.blas.GpuGemm"))
    theano.sandbox.cuda.blas.GpuGemm is not carried: it is an internal of ... device.
    """
    result = row(name)
    return None if result is None else _sentence(name, *result)


def row(name: str) -> tuple[str, str] | None:
    parts = name.split(".")
    keys = [name] + [".".join(parts[:n]) + ".*" for n in range(len(parts), 0, -1)]
    return next((ABSENT[key] for key in keys if key in ABSENT), None)


def _sentence(name: str, why: str, instead: str) -> str:
    return f"{name} is not carried: {why}; {instead}."


class _Explains(type):
    """Metaclass of classes without instances; ``isinstance`` and subclassing work."""

    absent: tuple[str, str, str]  # path, why, instead

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(_sentence(*cls.absent))

    def __getattr__(cls, name: str) -> NoReturn:
        path, why, instead = cls.absent
        raise AttributeError(_sentence(f"{path}.{name}", why, instead), name=name)


def explaining(path: str, why: str, instead: str) -> Any:
    """Return a class that raises an explanation when it is called or an attribute is read.

    Parameters
    ----------
    path : str
        Its documented module and name.
    why : str
        Why it is not implemented.
    instead : str
        What to use instead.

    >>> GpuGemm = explaining("theano.gpuarray.blas.GpuGemm", "it is CUDA's", "use dot")
    >>> isinstance(3, GpuGemm)
    False
    >>> GpuGemm()
    Traceback (most recent call last):
    ...
    NotImplementedError: theano.gpuarray.blas.GpuGemm is not carried: it is CUDA's; use dot.
    """
    module, _, name = path.rpartition(".")
    doc = f"Not carried: {why}; {instead}."
    return _Explains(
        name, (), {"__module__": module, "__doc__": doc, "absent": (path, why, instead)}
    )
