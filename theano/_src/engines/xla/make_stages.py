"""The compiled programs of a staged graph, with the operands and results of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from theano._src.engines.link import Cells
from theano._src.engines.mesh.plan import MeshPlan
from theano._src.engines.xla.program import DeviceProgram
from theano._src.engines.xla.staging import Staging
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.shape.shape import Shape, Shape_i
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType


def programs_of(
    staging: Staging,
    cells: Cells,
    loose: set[Variable],
    kind: Callable[..., DeviceProgram] = DeviceProgram,
    separate: bool = False,
    plan: MeshPlan | None = None,
) -> list[DeviceProgram]:
    """Return the compiled programs of a staged graph, with operands and results.

    With ``separate``, no program stores or overwrites state: it is the caller's.
    """
    outputs = set(staging.fgraph.outputs)
    read_by: dict[Variable, int] = {}  # the last program that reads a variable
    for k, nodes in enumerate(staging.programs):
        for node in nodes:
            for v in operands_of(node):
                read_by[v] = k
    lengths = {
        n.inputs[0]
        for nodes in staging.sections
        for n in nodes
        if isinstance(n.op, Shape | Shape_i)
    }
    programs = []
    last = len(staging.programs) - 1
    after = any(staging.sections[len(staging.programs) :])
    for k, nodes in enumerate(staging.programs):
        result = {v: None for n in nodes for v in n.outputs}
        operands = {
            v: None
            for n in nodes
            for v in operands_of(n)
            if v not in result and not isinstance(v, Constant)
        }
        results = [
            v
            for v in result
            if v in outputs
            or v in lengths
            or read_by.get(v, -1) > k
            or (v in staging.on_host and v.owner not in staging.by_host)
        ]
        ins, outs = list(operands), results
        stores = k == last and not after and not separate
        state, donate = state_of(staging, cells, ins, outs, loose) if stores else ([], [])
        more = {}
        if plan is not None:
            stored = {r: ins[i] for i, r in state}
            more = {
                "where": plan.of_results(outs, stored, staging.on_host),
                "replicated": plan.replicated,
            }
        stage = kind(k, nodes, ins, outs, staging.demands, state, donate, **more)
        stage.of = staging.fgraph.name or stage.of
        programs.append(stage)
    return programs


def operands_of(node: Apply) -> list[Variable]:
    """The inputs whose values the compiled form of a node reads."""
    only = getattr(node.op, "demand_only", ())
    return [v for i, v in enumerate(node.inputs) if i not in only]


def state_of(
    staging: Staging,
    cells: Cells,
    operands: list[Variable],
    results: list[Variable],
    loose: set[Variable],
) -> tuple[list[tuple[int, int]], list[int]]:
    """The ``(operand, result)`` pairs of state in the last program, and the overwritten operands.

    All new values of shared variables go through that program, wherever they were computed, so that
    they are stored together, and with those that host nodes have computed by then, such as
    generators. Variables in ``loose`` change their shape and are stored later; if there are such
    updates nothing is overwritten, so that all are stored or none.
    """
    fgraph = staging.fgraph
    outputs = fgraph.outputs
    state, donate = [], []
    together = True
    for o, i in (fgraph.update_mapping or {}).items():
        held, new = fgraph.inputs[i], outputs[o]
        if new is held:
            continue
        if (
            new.owner is None
            or held in loose
            or not isinstance(held, SharedVariable)
            or not isinstance(held.type, TensorType)
        ):
            together = together and new.owner in staging.by_host
            continue
        if new not in results:
            operands.append(new)
            results.append(new)
        if held not in operands:
            operands.append(held)
        state.append((operands.index(held), results.index(new)))
        if held not in outputs and outputs.count(new) == 1:
            donate.append(operands.index(held))
    used = Counter(id(cells[v]) for v in operands if v in cells)
    donate = [i for i in donate if operands[i] in cells and used[id(cells[operands[i]])] == 1]
    return state, donate if together else []
