"""Random programs on the native engine, compared bit by bit with the numpy engine."""

import numpy as np

from tests.engines.native.common import bits
from tests.properties.programs.drawing import drawn
from tests.properties.programs.running import Joint, build
from theano._src.engines.native.program import NativeProgram


def results(built, mode):
    """The bits of all that the calls of a program give, or the errors that they raise."""
    joint = Joint([built], mode)
    built.reset()
    collected = []
    for k in range(built.program.calls):
        try:
            (got,) = joint.call(k)
            values = [*got.outputs, *got.slopes]
        except Exception as e:
            values = [type(e)]
        values += [s.get_value() for s in built.shared.values()]
        collected.append([v if isinstance(v, type) else bits(np.asarray(v)) for v in values])
    return collected, joint.f


def check(seed):
    """What is wrong with the native function of a seed, or None, and whether it runs natively.

    That is None too if the seed has no program.
    """
    program = drawn(seed)
    if program is None:
        return None, None
    built = build(program)
    want, _ = results(built, "numpy")
    got, f = results(built, "native")
    if "was not made" in f.fn.why:
        return f.fn.why, False
    wrong = "other bits than on the numpy engine" if got != want else None
    return wrong, isinstance(f.fn, NativeProgram)
