"""hlo: the programs that XLA compiled for a function, as text."""

from __future__ import annotations

import sys
from typing import Any

from theano._src.ground.documented import documented_in


@documented_in("theano.printing")
def hlo(f: Any, before: bool = False, file: Any = None) -> Any:
    """Print the HLO that XLA compiled for a function: each program, for each key.

    The programs are compiled again, with the same options, to obtain the text.

    Parameters
    ----------
    f : compiled function
        Must have run on XLA, which compiles at the first call. If nothing is compiled, a sentence
        says why.
    before : bool
        Print the input of XLA, as StableHLO, instead of its optimized output.
    file : 'str', file-like or None
        'str' returns the text; None prints it.

    >>> import theano, theano.tensor as T
    >>> x = T.fvector("x")
    >>> f = theano.function([x], T.exp(x) * 2, mode=theano.Mode("xla"), allow_input_downcast=True)
    >>> theano.printing.hlo(f)
    Nothing is compiled yet: call the function first, XLA compiles for the shapes of a call.
    >>> _ = f([1, 2, 3])
    >>> text = theano.printing.hlo(f, file="str")
    >>> print(text.splitlines()[0])
    // program 0, compiled for shapes (3,)
    >>> "HloModule" in text and "f32[3]" in text
    True
    >>> "stablehlo.exponential" in theano.printing.hlo(f, before=True, file="str")
    True
    """
    text = "\n".join(_texts(f.fn, before)) + "\n"
    if file == "str":
        return text
    stream = sys.stdout if file is None else file
    stream.write(text)
    return file


def _texts(program: Any, before: bool) -> list[str]:
    several = getattr(program, "programs", None)
    staged = [program] if hasattr(program, "stages") else list((several or {}).values())
    texts = [
        f"{_title(stage, key)}\n{stage.texts(key)[0 if before else 1].strip()}\n"
        for each in staged
        for stage in each.stages
        for key in list(stage.table)
    ]
    if texts:
        return texts
    if hasattr(program, "stages"):
        why = "call the function first, XLA compiles for the shapes of a call"
    elif several is not None:
        why = (
            "calls run on NumPy so far (theano.printing.explain says why); "
            "mode=theano.Mode('xla') compiles at the first call"
        )
    else:
        return [f"Nothing is compiled: the function runs on NumPy, as {program.why}."]
    return [f"Nothing is compiled yet: {why}."]


def _title(stage: Any, key: Any) -> str:
    shapes, sizes = key
    known = f" sizes {' '.join(map(str, sizes))}" if sizes else ""
    return f"// program {stage.number}, compiled for shapes {' '.join(map(str, shapes))}{known}"
