"""Several processes as one machine: joining them, and what they must do together."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import threading
import uuid
from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.private_jax import (
    abandon_coordinator,
    bind_gloo,
    coordination_client,
    coordinator_address,
)
from theano._src.engines.mesh.agreement import agree, agreement
from theano._src.engines.mesh.peers import Peers, own_address, split_address
from theano._src.engines.mesh.placing import gathered_on_host
from theano._src.ground.documented import documented_in
from theano._src.ground.process_group import process_group
from theano._src.types.shared import SharedVariable

log = logging.getLogger("theano.distributed")


class _Membership:
    """The state of this process in a run of several processes."""

    def __init__(self) -> None:
        self.initialized = False
        self.told_to_end = False
        self.pid = 0
        self.run = ""


_own = _Membership()


@documented_in("theano.distributed")
def initialize(
    coordinator: str | None = None,
    processes: int | None = None,
    process: int | None = None,
    heartbeat: int = 10,
    start: int = 120,
    bind: str | None = None,
) -> int:
    """Make this process one of several; call it before any function runs.

    A process that was started by ``theano-launch``, by Slurm's ``srun``, by Open MPI's ``mpirun``
    or on a TPU pod needs no arguments; elsewhere the variables ``THEANO_COORDINATOR``,
    ``THEANO_PROCESSES`` and ``THEANO_PROCESS`` may replace them. Alone, a process is number 0 of 1.

    Parameters
    ----------
    coordinator : str, optional
        Host and port of process 0, such as ``"10.0.0.1:1234"``.
    processes, process : int, optional
        The number of processes, and the number of this one.
    heartbeat : int
        Seconds after which a silent process is considered dead.
    start : int
        Seconds within which all processes must have joined.
    bind : str, optional
        Host and port where process 0 listens, if others reach it under another address: through a
        forwarded port, or by a name that resolves differently on its machine. By default it listens
        only at ``coordinator``.

    Returns
    -------
    int
        The number of this process.

    Raises
    ------
    RuntimeError
        If jax has already run something, or the others do not join.

    Examples
    --------
    >>> from theano import distributed as dist
    >>> dist.initialize()
    0
    """
    if _own.initialized:
        return process_index()
    environ = os.environ
    coordinator = coordinator or environ.get("THEANO_COORDINATOR")
    if processes is None and "THEANO_PROCESSES" in environ:
        processes, process = int(environ["THEANO_PROCESSES"]), int(environ["THEANO_PROCESS"])
    if processes == 1 or (coordinator is None and not _in_a_cluster()):
        _own.run = uuid.uuid4().hex[:12]
        _note_sigterm()
    else:
        _join(coordinator, processes, process, heartbeat, start, bind)
    _own.initialized = True
    return process_index()


def _in_a_cluster() -> bool:
    """Whether jax finds the other processes by itself: with Slurm, Open MPI, or on a TPU pod."""
    environ = os.environ
    return (
        ("SLURM_PROCID" in environ and int(environ.get("SLURM_NTASKS", 1)) > 1)
        or ("OMPI_MCA_orte_hnp_uri" in environ and int(environ["OMPI_COMM_WORLD_SIZE"]) > 1)
        or "," in environ.get("TPU_WORKER_HOSTNAMES", "")
    )


def _join(
    coordinator: str | None,
    processes: int | None,
    process: int | None,
    heartbeat: int,
    start: int,
    bind: str | None,
) -> None:
    import jax

    if coordinator is not None:
        split_address(coordinator)
        # NOTE: by default jax listens on all addresses, and anyone who connects can end the run
        bind = bind or os.environ.get("JAX_COORDINATOR_BIND_ADDRESS", coordinator)
    jax.distributed.initialize(
        coordinator,
        processes,
        process,
        initialization_timeout=start,
        heartbeat_timeout_seconds=heartbeat,
        shutdown_timeout_seconds=30,
        coordinator_bind_address=bind,
    )
    address = own_address(coordinator_address())
    bind_gloo(address)
    _own.pid = os.getpid()
    _end_at_once_on_errors()
    client = coordination_client()
    if jax.process_index() == 0:
        client.key_value_set("theano/run", uuid.uuid4().hex[:12])
    _own.run = client.blocking_key_value_get("theano/run", start * 1000)
    me, n = jax.process_index(), jax.process_count()
    agreement.begin(me, n, Peers(me, n, address, client, start))
    process_group.joined = True
    atexit.register(_end)


def _note_sigterm() -> None:
    """Make SIGTERM request an end after the current step; a second one ends the process."""
    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.getsignal(signal.SIGTERM)

    def note(number: int, frame: Any) -> None:
        _own.told_to_end = True
        signal.signal(signal.SIGTERM, before)

    if before in (signal.SIG_DFL, signal.SIG_IGN):
        signal.signal(signal.SIGTERM, note)


def _end_at_once_on_errors() -> None:
    """Make an uncaught error end this process without waiting for the others.

    NOTE: at the end of a process jax waits for all others, which wait for this one. They are
    notified, and the errors that they raise name this process.
    """
    before = sys.excepthook

    def hook(kind: Any, error: Any, trace: Any) -> None:
        before(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        if os.getpid() != _own.pid:
            return  # a forked child is not one of the processes
        agreement.leave(f"its end, by {kind.__name__}")
        os._exit(1)

    sys.excepthook = hook


@documented_in("theano.distributed")
def shutdown() -> None:
    """Leave the group once all processes have called this; a single process does nothing.

    The end of a program does the same. After a ``Disagreement`` no process is waited for.

    >>> from theano import distributed as dist
    >>> dist.shutdown()
    """
    if process_group.joined:
        if agreement.over is None:
            agree("its end", bytes)
        process_group.joined = False
        _part()
    _own.initialized = False


def _part() -> None:
    if agreement.over is not None:
        agreement.leave("its end")
        abandon_coordinator()
        return
    import jax

    agreement.close()
    jax.distributed.shutdown()


def _end() -> None:
    """Leave the group at the end of the program; it is an error if others do something else."""
    if os.getpid() != _own.pid:
        return
    try:
        shutdown()
    except Exception:
        sys.excepthook(*sys.exc_info())


@documented_in("theano.distributed")
def process_count() -> int:
    """Return the number of processes.

    >>> from theano import distributed as dist
    >>> dist.process_count()
    1
    """
    if not process_group.joined:
        return 1
    import jax

    return int(jax.process_count())


@documented_in("theano.distributed")
def process_index() -> int:
    """Return the number of this process, from 0.

    >>> from theano import distributed as dist
    >>> dist.process_index()
    0
    """
    if not process_group.joined:
        return 0
    import jax

    return int(jax.process_index())


def run_name() -> str:
    """A name that the processes of one run share, different from all other runs."""
    if not _own.run:
        _own.run = uuid.uuid4().hex[:12]
    return _own.run


@documented_in("theano.distributed")
def gather(variable: SharedVariable) -> np.ndarray:
    """Return the whole value of a shared variable on every process; all of them must call this.

    >>> import numpy as np, theano
    >>> from theano import distributed as dist
    >>> dist.gather(theano.shared(np.ones(2)))
    array([1., 1.])
    """
    cell = variable.container.storage
    with cell.lock, backend.one_at_a_time:  # type: ignore[attr-defined]
        return np.array(gathered_on_host(cell[0]))


@documented_in("theano.distributed")
def should_stop(step: int) -> bool:
    """Whether to save and stop after this step, because a process received SIGTERM.

    All processes must call this after every step, with its number; it becomes True on all of them
    after the same step. ``theano-launch --stall`` takes a call as a sign of life.

    Parameters
    ----------
    step : int
        The number of the step, which must increase.

    Examples
    --------
    >>> from theano import distributed as dist
    >>> dist.should_stop(0)
    False
    """
    mark = os.environ.get("THEANO_PROGRESS")
    if mark:
        with open(mark, "w", encoding="utf-8") as file:
            file.write(str(step))
    process_group.note(f"should_stop({step})")
    if not process_group.joined:
        if not _own.initialized:
            initialize()
        return _own.told_to_end
    from jax.experimental import multihost_utils

    return bool(multihost_utils.reached_preemption_sync_point(step))
