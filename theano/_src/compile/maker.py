"""FunctionMaker: turn declared inputs and outputs into a rewritten, linked, callable graph."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from theano._src.compile.aliasing import infer_reuse_pattern, insert_deepcopy
from theano._src.compile.io import In, SymbolicOutput, as_input, as_output, warn_unused
from theano._src.compile.mode import get_mode
from theano._src.engines.jax.device import use_device
from theano._src.engines.linkers.called_program import as_program
from theano._src.graph import testvalue
from theano._src.graph.destroy import DestroyHandler, Supervisor
from theano._src.graph.features import Feature
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.graph.walk import ancestors, roots_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import UnusedInputError
from theano._src.ground.lazy import at_first_use
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.rules.ifelse.branches import lazy_branches
from theano._src.types.other_arrays import kept
from theano._src.types.shared import Container, SharedVariable
from theano._src.types.tensor import TensorType

_as_profile = at_first_use("theano._src.compile.profile.profiling:as_profile")


def std_fgraph(
    input_specs: Sequence[In], output_specs: Sequence[SymbolicOutput], accept_inplace: bool
) -> tuple[FunctionGraph, list[SymbolicOutput]]:
    """Copy the user's graph, with updates as further outputs, and protect its inputs.

    A Supervisor keeps rewrites from overwriting inputs that are neither mutable nor updated.
    Return the graph, and the outputs that are updates.

    >>> import theano, theano.tensor as T
    >>> from theano.compile.function_module import std_fgraph
    >>> x = T.dscalar("x")
    >>> graph, updates = std_fgraph([theano.In(x)], [theano.Out(x + 1)], accept_inplace=False)
    >>> graph, updates
    ([Elemwise{add,no_inplace}(x, TensorConstant{1})], [])
    """
    updates: list[Variable] = []
    mapping: dict[int, int] = {}
    for i, spec in enumerate(input_specs):
        if spec.update is not None:
            mapping[len(output_specs) + len(updates)] = i
            updates.append(spec.update)
    fgraph = FunctionGraph(
        [spec.variable for spec in input_specs],
        [spec.variable for spec in output_specs] + updates,
        update_mapping=mapping,
    )
    _read_once(input_specs, fgraph)
    destroying = [n for n in fgraph.apply_nodes if getattr(n.op, "destroy_map", None)]
    if destroying and not accept_inplace:
        raise TypeError(
            f"Graph must not contain inplace operations, got {destroying[0]}; leave working in "
            "place to rewriting, or pass accept_inplace=True"
        )
    overwritten: list[Variable] = []
    if destroying:
        handler = DestroyHandler()
        fgraph.attach_feature(handler)
        handler.validate(fgraph)
        overwritten = [v for v in fgraph.inputs if handler.destroyers_of(v)]
    fgraph.attach_feature(
        Supervisor(
            (
                v
                for spec, v in zip(input_specs, fgraph.inputs, strict=True)
                if not (spec.mutable or spec.update is not None or v in overwritten)
            ),
            overwritten,
        )
    )
    return fgraph, [SymbolicOutput(u) for u in updates]


def _read_once(specs: Sequence[In], fgraph: FunctionGraph) -> None:
    """Replace inputs that share one cell, such as a shared variable and its clones, by one input.

    Otherwise a node could overwrite the value of one before another is read.
    """
    firsts: dict[int, int] = {}
    held = [(i, s) for i, s in enumerate(specs) if s.implicit and isinstance(s.value, Container)]
    # an updated input comes first
    for i, spec in sorted(held, key=lambda pair: pair[1].update is None):
        k = firsts.setdefault(id(spec.value.storage), i)
        if k == i or spec.variable.type != specs[k].variable.type:
            continue
        if spec.update is not None:
            raise ValueError(
                f"this shared variable already has an update expression: {specs[k].variable}, "
                f"whose value {spec.variable} holds too"
            )
        fgraph.replace(fgraph.inputs[i], fgraph.inputs[k], reason="one cell")


@documented_in("theano.compile.function_module")
class FunctionMaker:
    """Make a Function: clone the graph, rewrite it, and pass it to the linker.

    ``fgraph`` is the rewritten graph, ``mode`` the Mode; ``create`` returns a Function.
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        outputs: Any,
        mode: Any = None,
        accept_inplace: bool = False,
        function_builder: Any = None,
        profile: Any = None,
        on_unused_input: str | None = None,
        fgraph: FunctionGraph | None = None,
        output_keys: list[str] | None = None,
        name: str | None = None,
    ) -> None:
        begun = time.perf_counter()
        use_device()
        self.mode = get_mode(mode)
        self.unpack_single = outputs is not None and not isinstance(outputs, (list, tuple))
        self.return_none = outputs is None
        if self.unpack_single:
            outputs = [outputs]
        self.inputs: list[In] = [as_input(i) for i in inputs]
        self.outputs: list[SymbolicOutput] = [as_output(o) for o in outputs or ()]
        self.output_keys = output_keys
        self.accept_inplace = accept_inplace
        self.on_unused_input = on_unused_input or "raise"
        self.function_builder = function_builder
        self.profile: Any = None
        if profile is not None or _profiles_all(self.mode):
            self.profile = _as_profile()(profile, name, self.mode)
        self.name = name
        self._check_unique()
        self._check_unused()
        rewrites = self.mode.optimizer
        #: the arguments of rewriting, to repeat it step by step
        self.origin = (self.inputs, self.outputs, accept_inplace, rewrites)
        if fgraph is None:
            started = time.perf_counter()
            fgraph = self.make_graph(rewrites)
            self.rewrite_seconds = time.perf_counter() - started
        fgraph.name = name
        self.fgraph = fgraph
        declared = {("in", i): spec.sharding for i, spec in enumerate(self.inputs)}
        declared |= {("out", i): spec.sharding for i, spec in enumerate(self.outputs)}
        fgraph.shardings = {at: s for at, s in declared.items() if s is not None}
        # a copy: a mode outlives its functions, and must not keep their graphs
        self.linker = self._bound(copy.copy(self.mode.linker))
        self.indices = [[spec, [i], [spec]] for i, spec in enumerate(self.inputs)]
        self.expanded_inputs = self.inputs
        self.required = [i.value is None for i in self.inputs]
        self.refeed = [
            i.value is not None and not isinstance(i.value, Container) and i.update is None
            for i in self.inputs
        ]
        if self.profile is not None:
            self.profile.compile_time += time.perf_counter() - begun
            self.profile.optimizer_time += getattr(self, "rewrite_seconds", 0.0)
            self.profile.nb_nodes = len(fgraph.apply_nodes)

    def _bound(self, linker: Any) -> Any:
        given = zip(self.outputs, self.fgraph.outputs, strict=False)
        no_recycling = infer_reuse_pattern(self.fgraph, [v for spec, v in given if not spec.borrow])
        # linkers written for Theano 0.7 take no profile
        more = {} if self.profile is None else {"profile": self.profile}
        return linker.accept(self.fgraph, no_recycling=no_recycling, **more)

    def make_graph(self, rewrites: SeqOptimizer) -> FunctionGraph:
        """Return the rewritten graph."""
        return self._rewritten(rewrites)

    def _rewritten(self, rewrites: SeqOptimizer, *features: Feature) -> FunctionGraph:
        """A rewritten copy of the user's graph; ``features`` are attached during rewriting."""
        fgraph, updates = std_fgraph(self.inputs, self.outputs, self.accept_inplace)
        fgraph.name = self.name
        fgraph.profile = self.profile
        for feature in features:
            fgraph.attach_feature(feature)
        with testvalue.under(config.compute_test_value_opt):
            report = rewrites.rewrite(fgraph)
            lazy_branches(fgraph)  # whichever rewrites are excluded
            insert_deepcopy(fgraph, self.inputs, [*self.outputs, *updates])
        fgraph.profile = None
        if self.profile is not None and config.profile_optimizer:
            self.profile.rewritings.append(report)
        return fgraph

    def __reduce__(self) -> Any:
        """Pickle the arguments; loading rewrites the graph again."""
        made_from = (
            self.inputs,
            self.as_given(self.outputs),
            self.mode,
            self.accept_inplace,
            self.function_builder,
            None,
            self.on_unused_input,
            None,
            self.output_keys,
            self.name,
        )
        return type(self), made_from

    def as_given(self, outputs: list[Any]) -> Any:
        """Return outputs in the form in which the user passed them: one, a list, or None."""
        if self.return_none:
            return None
        return outputs[0] if self.unpack_single else outputs

    def _check_unique(self) -> None:
        where: dict[Variable, int] = {}
        for i, spec in enumerate(self.inputs):
            if spec.variable in where:
                raise UnusedInputError(
                    f"Variable {spec.variable} is used twice in inputs to theano.function, at "
                    f"indices {where[spec.variable]} and {i}. This would result in values "
                    "provided for it being ignored. Please do not duplicate variables in the "
                    "inputs list."
                )
            where[spec.variable] = i

    def _check_unused(self) -> None:
        if self.on_unused_input == "ignore":
            return
        ins = [spec.variable for spec in self.inputs]
        roots = [o.variable for o in self.outputs]
        roots += [spec.update for spec in self.inputs if spec.update is not None]
        used = set(ancestors(roots, ins))
        for i, spec in enumerate(self.inputs):
            if spec.variable not in used and not spec.shared and spec.update is None:
                what = str(spec.variable)
                if spec.variable.owner is not None:
                    made_of = [v for v in roots_of([spec.variable]) if v.name]
                    what += (
                        " is an expression that no output uses: inputs are the "
                        f"variables that it is made of{': ' if made_of else ''}"
                        f"{', '.join(map(str, made_of))}"
                    )
                warn_unused(
                    "theano.function was asked to create a function computing outputs given "
                    f"certain inputs, but the provided input variable at index {i} is not part "
                    "of the computational graph needed to compute the outputs: "
                    f"{what}.\nTo make this error into a warning, you can pass the "
                    "parameter on_unused_input='warn' to theano.function. To disable it "
                    "completely, use on_unused_input='ignore'.",
                    self.on_unused_input,
                    UnusedInputError,
                )

    def create(self, input_storage: Sequence[Any] | None = None, trustme: bool = False) -> Any:
        """Return a Function; inputs get their values from ``input_storage`` or their defaults."""
        if input_storage is None:
            input_storage = [spec.value for spec in self.inputs]
        cells: list[list[Any]] = []
        defaults: list[tuple[bool, bool, Any]] = []
        for spec, given, needed, refeed in zip(
            self.inputs, input_storage, self.required, self.refeed, strict=True
        ):
            if isinstance(given, Container):
                cells.append(given.storage)
                defaults.append((needed, False, given.storage))
            elif isinstance(given, SharedVariable):
                cells.append(given.container.storage)
                defaults.append((needed, False, given.container.storage))
            else:
                value = None if given is None else _default(spec, given)
                cells.append([value])
                defaults.append((needed, refeed, value))
        begun = time.perf_counter()
        result, ins, outs = self.linker.make_thunk(input_storage=cells)
        program = as_program(result, self.fgraph, ins, outs)
        if self.profile is not None:
            self.profile.linker_time += time.perf_counter() - begun
            self.profile.compile_time += time.perf_counter() - begun
        for spec, container in zip(self.inputs, ins, strict=True):
            container.strict = spec.strict
            container.allow_downcast = spec.allow_downcast
            container.name = spec.name
        return self.function_builder(
            program,
            ins,
            outs,
            self.indices,
            self.outputs,
            defaults,
            self.unpack_single,
            self.return_none,
            self.output_keys,
            self,
        )


def _profiles_all(mode: Any) -> bool:
    """Whether flags or the mode request a profile for functions compiled without ``profile``."""
    return bool(config.profile or config.print_global_stats or hasattr(mode, "profile_for"))


def _default(spec: In, given: Any) -> Any:
    """The default value of an input: a copy, unless it is borrowed."""
    kind, how = spec.variable.type, {"strict": spec.strict, "allow_downcast": spec.allow_downcast}
    if isinstance(kind, TensorType) and not isinstance(given, ndarray):
        return kept(kind, given, False, **how)
    return kind.filter(given if spec.borrow else copy.copy(given), **how)
