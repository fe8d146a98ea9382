"""The compiled programs of a stage, one for each key, in a bounded table."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.arrays.jax_xp import outline
from theano._src.engines.jax.kept_programs import KeptProgram
from theano._src.engines.jax.mesh_devices import lengths_of, named_sharding
from theano._src.engines.jax.progress import first_call
from theano._src.engines.mesh.collectives import collectives_in, facts_of
from theano._src.engines.mesh.placing import spread
from theano._src.engines.xla.overwriting import need_of
from theano._src.engines.xla.stage import Stage
from theano._src.engines.xla.tracing import Tracing
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.ops.index.advanced import BaseAdvancedSubtensor
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.index.subtensor1 import AdvancedSubtensor1

log = logging.getLogger("theano.xla")

#: the number of programs compiled in this process
compiled_so_far = [0]
#: the most keys, and reasons for compiling them, that are remembered for explanations
_REMEMBERED = 256


class ChecksBroken(Exception):
    """A flag of a program that has run is false."""

    def __init__(self, program: DeviceProgram, node: Apply | None) -> None:
        super().__init__(f"{'the guard' if node is None else node} fails a check")
        self.program = program
        self.node = node
        self.outputs = {v for n in program.nodes for v in n.outputs}


#: ops that read a part of their first input
_READ_PARTS = (Subtensor, AdvancedSubtensor1, BaseAdvancedSubtensor)


class DeviceProgram(Stage):
    """The nodes of one stage, compiled for each key.

    Attributes
    ----------
    compilations : list of str
        The reasons for the last compilations; ``forgotten`` counts earlier ones.
    compiled_for : list of keys
        The key of each of them; a key that was dropped from the table comes again.
    """

    def __init__(self, *stage: Any, **options: Any) -> None:
        super().__init__(*stage, **options)
        self._on_device: list[Any] | None = None
        self.table: OrderedDict[Any, Any] = OrderedDict()
        #: the key of the last call and its compiled form, which the next call tries first
        self.key: Any = None
        self.last: Any = None
        #: bytes that a run allocates; None while unknown: then nothing is overwritten
        self.need: int | None = None
        self.needs: dict[Any, int | None] = {}
        self.many_keys = False
        self.flagged: dict[Any, list[Apply | None]] = {}
        self.compilations: list[str] = []
        self.compiled_for: list[Any] = []
        self.keys_seen: dict[Any, None] = {}
        self.forgotten = 0
        #: by key, on a mesh: abstract arguments of the first call
        self.seen: dict[Any, list[Any]] = {}
        #: by key, on a mesh: what the processes must agree on before a run, as text and as bytes
        self.marks: dict[Any, tuple[str, bytes]] = {}

    # running

    def constants(self) -> list[Any]:
        """The large constants on the device, transferred at the first use."""
        if self._on_device is None:
            if self.replicated is None:
                self._on_device = [backend.put(c.data) for c in self.large]
            else:
                name = f"a constant of program {self.number}"
                self._on_device = [spread(c.data, self.replicated, name) for c in self.large]
        return self._on_device

    def find(self, key: Any) -> Any:
        """The compiled form for ``key``, created if needed."""
        result = self.table.get(key)
        if result is not None:
            self.table.move_to_end(key)
            if key not in self.needs:  # its first call has failed
                return self._to_be_measured(key, result)
            self.key, self.last, self.need = key, result.run or result, self.needs.get(key)
            return self.last
        reason = self._reason(key)
        compiled_so_far[0] += 1
        self.compilations.append(reason)
        self.compiled_for.append(key)
        self.keys_seen[key] = None
        if len(self.compilations) > _REMEMBERED:
            self.forgotten += 1
            del self.compilations[0], self.compiled_for[0]
            if len(self.keys_seen) > _REMEMBERED:
                del self.keys_seen[next(iter(self.keys_seen))]
        log.info("program %d: compiling %d nodes: %s", self.number, len(self.nodes), reason)
        result = self.table[key] = self.form(key)
        if len(self.table) > config.xla.max_keys:
            old, _ = self.table.popitem(last=False)
            self.flagged.pop(old, None)
            self.marks.pop(old, None)
            self.seen.pop(old, None)
            self.needs.pop(old, None)
        self.many_keys = bool(self.sizes) and len(self.keys_seen) > config.xla.volatile_after
        if self.replicated is not None:
            held = repr((self._title(key), self.where, self.replicated, self.donate))
            self.marks[key] = f"{self} for {key}", held.encode()
        return self._to_be_measured(key, result)

    def __str__(self) -> str:
        return f"program {self.number} of {len(self.nodes)} nodes"

    def _to_be_measured(self, key: Any, result: Any) -> Any:
        """A function for the first call of a key: nothing is overwritten before it succeeds."""
        self.key = self.need = None
        return partial(self._first_call, key, result)

    def _first_call(self, key: Any, result: Any, *args: Any) -> Any:
        if self.replicated is not None:
            self.seen[key] = [
                backend.like(a.shape, a.dtype, getattr(a, "sharding", None)) for a in args
            ]
        out = first_call(str(self), self.of, result, *args)
        self._measure(key, result, args)
        # in this order: another thread that sees the key may use the form
        self.last, self.key = result.run or result, key
        return out

    def _measure(self, key: Any, program: Any, args: Any) -> None:
        """Determine whether calls with this key may overwrite state."""
        self.need = self.needs[key] = need_of(program, args) if self.donate else None

    def form(self, key: Any) -> KeptProgram:
        """The program for a key, which is traced and compiled at its first call."""
        body = self._body(key, key[1])
        body.__name__ = self._title(key)
        return backend.compiled(body, self.donate, self.shardings())

    def shardings(self) -> list[Any] | None:
        """On a mesh, the shardings of results and flags."""
        if self.where is None or self.replicated is None:
            return None
        return [None if s is None else named_sharding(s) for s in (*self.where, self.replicated)]

    def _title(self, key: Any) -> str:
        """A unique name, shared by its file on disk, so that one entry can be removed."""
        import hashlib

        text = repr((key, [str(node) for node in self.nodes]))
        return f"theano_{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"

    def texts(self, key: Any) -> tuple[str, str]:
        """The StableHLO that is passed to XLA for a key, and the HLO that XLA compiles it to."""
        shapes, _ = key
        args = self.seen.get(key)
        if args is None:
            args = [
                backend.like(shape, v.type.numpy_dtype)
                for v, shape in zip(self.operands, shapes, strict=True)
            ]
            args += [backend.like(c.data.shape, c.data.dtype) for c in self.large]
        return backend.texts_of(self.form(key), *args)

    def mesh_facts(self, key: Any) -> list[tuple[str, list[str]]]:
        """Communication and memory of devices on a mesh: pairs of a title and lines."""
        if self.replicated is None or key not in self.seen:
            return []
        devices = prod(lengths_of(self.replicated.mesh).values())
        # split parameters are gathered on purpose, an indexed data set is not
        indexed = {n.inputs[0] for n in self.nodes if isinstance(n.op, _READ_PARTS)}
        split = {
            prod(like.shape) * like.dtype.itemsize
            for v, like in zip(self.operands, self.seen[key], strict=False)
            if like.sharding is not None and v not in indexed
        }
        result = self.table[key].compiled
        held = backend.memory_of(result)
        sent = facts_of(collectives_in(result.as_text()), split)
        memory = (
            "{arguments:,} bytes of arguments, {temporaries:,} while it runs, {results:,} of "
            "results, of which {reused:,} over arguments".format_map(held)
        )
        return [
            ("mesh", [f"{self.replicated.mesh}, {devices} devices"]),
            ("sends", sent),
            ("a device", [memory]),
        ]

    def packed(self) -> list[tuple[Any]]:
        """The large constants, each in a tuple."""
        return [(c,) for c in self.constants()]

    def raise_failed_check(self, key: Any, flags: Any) -> None:
        """Raise for the first flag that is false."""
        raise ChecksBroken(self, self.flagged[key][int(np.flatnonzero(~np.asarray(flags))[0])])

    def moving_sizes(self) -> list[Variable]:
        """The demanded integers that differ from key to key, if there are many keys."""
        if not self.many_keys:
            return []
        most = config.xla.volatile_after // 2
        return [
            e
            for j, e in enumerate(self.sizes)
            if len({sizes[j] for _, sizes in self.keys_seen}) > most
        ]

    def forget(self, key: Any) -> None:
        """Drop the compiled form for a key whose tracing failed."""
        self.key = self.last = self.need = None
        self.table.pop(key, None)
        self.flagged.pop(key, None)
        self.marks.pop(key, None)
        self.needs.pop(key, None)
        self.keys_seen.pop(key, None)
        if self.compilations:
            self.compilations.pop()
            self.compiled_for.pop()

    def _reason(self, key: Any) -> str:
        shapes, sizes = key
        if not self.compiled_for:
            return "first call"
        last_shapes, last_sizes = self.compiled_for[-1]
        if key in self.keys_seen:
            return "dropped from the table before"
        parts = [
            f"{v} of shape {old} is now {new}"
            for v, old, new in zip(self.operands, last_shapes, shapes, strict=True)
            if old != new
        ]
        parts += [
            f"size {v} was {old}, is now {new}"
            for v, old, new in zip(self.sizes, last_sizes, sizes, strict=True)
            if old != new
        ]
        return "; ".join(parts) or "a new combination of shapes"

    # tracing

    def largest(self, key: Any) -> Apply:
        """The node whose outputs have the most bytes, for this key."""
        shapes, sizes = key
        operands = zip(
            (*self.operands, *self.large), (*shapes, *(c.data.shape for c in self.large))
        )
        tracings: list[Tracing] = []

        def body(*args: Any) -> list[Any]:
            tracings.append(Tracing(self, sizes, args))
            return tracings[0].run()

        with backend.x64():
            outline(body)(*[backend.like(shape, v.type.numpy_dtype) for v, shape in operands])
        result = tracings[0].bytes_made
        return max(self.nodes, key=lambda node: result.get(node, 0))

    def _body(self, key: Any, sizes: Sequence[int]) -> Callable[..., Any]:
        """The function that jax traces: operands and large constants in, results and flags out."""

        def body(*args: Any) -> list[Any]:
            tracing = Tracing(self, sizes, args)
            results = tracing.run()
            self.flagged[key] = tracing.flagged
            if self.replicated is not None and len(results) == len(self.results):
                results.append(np.ones(1, bool))  # the number of results must not vary
            return results

        return body
