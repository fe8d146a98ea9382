"""Run calls on the host: by the numpy engine first, then as machine code (ADR 29).

Both give the same bits. Machine code is compiled for a whole function: one native program takes
arrays of all lengths.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter as clock, sleep
from typing import Any

from theano._src.engines.choice.background import Paced
from theano._src.engines.choice.policy import NEVER
from theano._src.engines.jax.backend import child
from theano._src.engines.link import Job, Program
from theano._src.engines.native.linker import native_program
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.ground.config import config
from theano._src.ground.lazy import at_first_use

_load_llvm = at_first_use("theano._src.engines.native.printers.llvm:load")
_has_llvm = at_first_use("theano._src.engines.native.printers.llvm:has_llvm")
_load_engine = at_first_use("theano._src.engines.native.program:NativeProgram")

log = logging.getLogger("theano.native")

#: the number of the first call that is timed
_FIRST = 2
#: seconds to load LLVM, to compile a function by it, and each of its nodes; by a C compiler
_LOADING, _PROGRAM, _NODE, _BY_C = 0.1, 0.02, 5e-4, 0.4
#: compiling a function with optimisation takes this many times as long
_OPTIMISED = 4.0
#: timed calls on each engine in a trial; machine code wins if it takes at most this many times as
#: long as NumPy
_TIMED, _NO_WORSE = 3, 1.1
#: the number of trials, because other processes may disturb one; and the number of calls between
#: the first two, which is four times as large before each further trial
_TRIALS, _PAUSE = 4, 64
#: the most seconds for which XLA waits for machine code
_MOMENT = 10.0
#: after this many seconds a call gives the interpreter to the thread that compiles
_TURN = 0.002
#: calls shorter than this many seconds are repeated to time them
_WARMED = 1e-3
#: a trial is valid for arrays up to this many times as long, and for all arrays up to this length
_FURTHER, _SHORT = 4, 64
#: the most bytes that a call may need; a native program keeps up to twice as many
_MEMORY = 1 << 27


class Host:
    """The host side of a function.

    Machine code is compiled in a thread once the calls of the function have taken as long as that
    will. It is timed against the numpy engine, and again for arrays that are much longer than those
    before. Its kernels are optimised once its calls have taken as long as that will.

    Parameters
    ----------
    job : Job
    numpy : NumpyProgram
    is_small : function of the lengths of all inputs, one after another
        Whether calls of these lengths never go to XLA.
    changed : function
        Called when machine code takes over.
    uses_blas : bool
        Whether the numpy engine may call BLAS, so that its threads matter.
    """

    def __init__(
        self,
        job: Job,
        numpy: NumpyProgram,
        is_small: Callable[[Sequence[int]], bool],
        changed: Callable[[], None],
        uses_blas: bool = True,
    ) -> None:
        self._job, self.numpy, self._uses_blas = job, numpy, uses_blas
        self._is_small, self._changed = is_small, changed
        self.native: Any = None
        #: why calls do not run as machine code
        self.why = "it was called too seldom"
        self._calls = 0
        self._spaces: list[dict[str, Any]] = []
        self._returns: str | None = None
        self._install: Callable[[Callable[..., Any]], None] = lambda call: None
        self._general: Callable[..., Any] | None = None
        self._trial = _Trial()
        self._trying = False
        #: trials that machine code has lost, and calls until the next
        self._losses = self._pause = 0
        #: when compiling began, and whether it is known which engine is faster
        self._begun: float | None = None
        self._known = self.is_optimised = False
        self._rested = 0.0
        self.run: Callable[..., Any] = self._counted
        if not config.native.enabled:
            self._stay("config.native.enabled is False")

    # what runs

    def __call__(self, n_calls: int = 1) -> list[Any]:
        """Run calls by the cells."""
        if self.run == self._counted:
            results: list[Any] = self._count(n_calls, self.numpy, n_calls)
            return results
        program: Program = self.native or self.numpy
        return program(n_calls)

    def share_run(self, space: dict[str, Any]) -> None:
        """Keep ``run``, and ``uses_blas``, up to date in the globals of generated code."""
        self._spaces.append(space)
        self._set(self.run)

    def _set(self, run: Callable[..., Any]) -> None:
        self.run = run
        uses_blas = self._uses_blas if self.native is None else self.native.uses_blas
        for space in self._spaces:
            space |= {"run": run, "uses_blas": uses_blas}

    def _stay(self, why: str) -> None:
        """Run on the numpy engine permanently."""
        self.native, self.why, self._known = None, why, True
        self._set(self.numpy._run)

    @property
    def is_native(self) -> bool:
        return self.native is not None and bool(self.native.state.run_limits.is_open)

    @property
    def refused(self) -> bool:
        """Whether calls never run as machine code; ``why`` has the reason."""
        return self._known and self.native is None

    @property
    def is_coming(self) -> bool:
        """Whether machine code is being compiled, measured or optimised, which takes a moment."""
        if self._begun is None or clock() - self._begun >= _MOMENT:
            return False
        return not self._known or (self.native is not None and not self.is_optimised)

    def warm_time(self, seconds: float) -> float:
        """The least time of a few more calls of machine code if ``seconds`` is short.

        A single call between others finds cold caches, and takes several times as long as most.
        """
        native = self.native
        if not self.is_native or not native.alone or seconds > _WARMED:
            return seconds
        arguments = native.arguments()
        for _ in range(_TIMED):
            start = clock()
            native._run(*arguments)
            seconds = min(seconds, clock() - start)
        return seconds

    def stand_for(
        self, returns: str, general: Callable[..., Any], install: Callable[[Any], None]
    ) -> None:
        """Let machine code take the calls of a function object, without any Python before it.

        Parameters
        ----------
        returns : str
            What the call returns: a ``list`` of the outputs, the ``first``, or ``none``.
        general : function
            Takes the calls that machine code does not take.
        install : function
            Called with the machine code as a function, once there is one.
        """
        self._returns, self._general, self._install = returns, general, install
        self._offer()

    def _offer(self) -> None:
        native, general = self.native, self._general
        if native is None or general is None or not native.state.call_limits.is_open:
            return
        if native.call is not None and native.returns == self._returns:
            native.general[:] = [general]
            self._install(native.call)

    # before there is a program

    def _counted(self, *arguments: Any) -> Any:
        calls = self._calls + 1
        if calls & (calls - 1):  # not a power of two
            self._calls = calls
            return self.numpy._run(*arguments)
        return self._count(1, self.numpy._run, *arguments)

    def _count(self, calls: int, run: Callable[..., Any], *arguments: Any) -> Any:
        before = self._calls
        self._calls = n = before + calls
        if n < _FIRST or n.bit_length() == before.bit_length():
            return run(*arguments)
        start = clock()
        results = run(*arguments)
        seconds = (clock() - start) / calls
        if n * seconds >= self._price():
            self._begin()
        return results

    def _price(self) -> float:
        price = _PROGRAM + _NODE * len(self.numpy.nodes)
        if not _has_llvm()():
            return max(_BY_C, price)
        return price if "llvmlite" in sys.modules else _LOADING + price

    def _begin(self) -> None:
        self._set(self.numpy._run)
        if child.forked:
            self.why = "functions are not compiled in a forked process"
            return
        self.why, self._begun = "a thread is compiling it", clock()
        self._set(self._beside)
        _in_thread(self._compile)

    def _beside(self, *arguments: Any) -> list[Any]:
        """Run calls while a thread compiles, and give it the interpreter half of the time.

        Calls on short arrays never release the interpreter's lock. The thread would wait 5 ms for
        it after each file that it reads.
        """
        results = self.numpy._run(*arguments)
        if clock() - self._rested > _TURN:
            sleep(0)
            self._rested = clock()
        return results

    def _compile(self) -> None:
        # kernels without optimisation take a quarter of the time, and mostly as long a call
        native, why = native_program(self._job, 0, self.numpy, self._returns, self._left_over)
        if native is None:
            self._stay(why)
            return
        native.state.most = _MEMORY
        self.is_optimised = native.code.level > 0
        self.native, self.why = native, "it is being measured"
        self._set(native._run)

    # machine code against the numpy engine

    def _left_over(self, *arguments: Any) -> list[Any]:
        """Run a call that machine code did not take: arrays are longer, or of another kind."""
        native = self.native
        if native is not None and not native.state.on:
            self._stay(native.why)
        if self.native is None or self._trying:
            return self.numpy._run(*arguments)
        if native.state.left <= 0:
            native.state.left = NEVER
            _in_thread(self._optimise)
            results: list[Any] = native._run(*arguments)
            return results
        self._pause -= 1
        lengths = native.lengths_of(arguments) if self._pause < 0 else None
        if lengths is None or native.state.run_limits.take(lengths):
            return self.numpy._run(*arguments)
        return self._try(lengths, arguments)

    def _try(self, lengths: list[int], arguments: Any) -> list[Any]:
        """Time a call on one of the two engines, which take turns."""
        native, trial = self.native, self._trial
        limits, on_native = native.state.run_limits, trial.is_natives_turn
        before = limits.lengths if limits.is_open else None
        self._trying = True
        if on_native:
            limits.open()
        start = clock()
        try:
            results: list[Any] = (native if on_native else self.numpy)._run(*arguments)
        finally:
            seconds = clock() - start
            if on_native:
                limits.close() if before is None else limits.open(before)
            self._trying = False
        if not trial.over(on_native, seconds, lengths):
            return results
        self._trial = _Trial()
        if trial.numpy_is_faster:
            self._lose(is_first=before is None)
            return results
        further = [max(_SHORT, _FURTHER * n) for n in trial.longest]
        limits.open(further if before is None else list(map(max, before, further)))
        if before is None:
            self._known, self.why = True, ""
            if not self.is_optimised:
                native.state.left = int(_OPTIMISED * self._price() / trial.seconds) + 1
            self._changed()
        self.allow(further if self._is_small(further) else lengths, self._is_small)
        return results

    def _lose(self, is_first: bool) -> None:
        """Leave calls to the numpy engine until the next trial, or permanently."""
        if not self.is_optimised:
            self._pause = NEVER  # until the kernels are
            _in_thread(self._optimise)
            return
        self._losses += 1
        self._known, self.why = True, "it was measured to be faster on NumPy"
        self._pause = NEVER if self._losses == _TRIALS else _PAUSE * 4 ** (self._losses - 1)
        if is_first and self._losses == _TRIALS:
            self._stay(self.why)

    def allow(self, lengths: list[int], allowed: Callable[[Sequence[int]], bool]) -> None:
        """Let machine code take calls of these lengths directly, if they are allowed."""
        native = self.native
        if native is None or not allowed(lengths):
            return
        limits = native.state.call_limits
        if limits.is_open:
            both = list(map(max, limits.lengths, lengths))
            if not allowed(both) and sum(lengths) <= sum(limits.lengths):
                return
            lengths = both if allowed(both) else lengths
        was_open = limits.is_open
        limits.open(list(map(min, lengths, native.state.run_limits.lengths)))
        if not was_open:
            self._offer()

    def _optimise(self) -> None:
        if not self.is_optimised:
            self.native.code.compile_kernels(2)
            self.is_optimised, self._pause = True, 0


class _Trial:
    """A few timed calls of machine code and of the numpy engine, in turns."""

    def __init__(self) -> None:
        self._native: list[float] = []
        self._numpy: list[float] = []
        self.longest: list[int] = []
        #: seconds of the last call of machine code
        self.seconds = 1e-6
        #: whether the numpy engine was faster
        self.numpy_is_faster = False

    @property
    def is_natives_turn(self) -> bool:
        return len(self._native) <= len(self._numpy)

    def over(self, on_native: bool, seconds: float, lengths: list[int]) -> bool:
        """Record a call; return whether the trial is decided."""
        self.longest = list(map(max, self.longest, lengths)) if self.longest else lengths
        # calls of other lengths are compared by the time of an element
        (self._native if on_native else self._numpy).append(seconds / (1000 + sum(lengths)))
        if on_native:
            self.seconds = max(seconds, 1e-7)
        if len(self._numpy) < _TIMED:
            return False
        self.numpy_is_faster = min(self._native) > _NO_WORSE * min(self._numpy)
        return True


_tasks: deque[Callable[[], None]] = deque()
_lock = threading.Lock()
_threads: list[threading.Thread] = []


def _in_thread(task: Callable[[], None]) -> None:
    """Run a task in the thread that compiles native programs, which ends when it has none."""
    if child.forked:
        return  # the lock may have been held when the process was forked, and LLVM's too
    with _lock:
        _tasks.append(task)
        if not _threads:
            # not a daemon: a process must not end while LLVM works
            _threads.append(threading.Thread(target=_work, name="theano-native-compile"))
            _threads[0].start()


def _work() -> None:
    task = _load  # before the thread is paced: it reads files, which lets calls go on
    while True:
        try:
            task()
        except Exception as e:  # functions run as before
            log.info("machine code was not compiled", exc_info=e)
        sys.setprofile(Paced(1.0))
        with _lock:
            if not _tasks or not threading.main_thread().is_alive():
                _threads.clear()
                return
            task = _tasks.popleft()


def _load() -> None:
    _load_engine()
    if _has_llvm()():
        _load_llvm()()


def finish() -> None:
    """Wait until all native programs are compiled."""
    for thread in list(_threads):
        thread.join()
