"""Runs the programs of others that lie beside the checkout, shortened, in this process."""

import contextlib
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import theano
from tests.architecture.sources import ROOT

#: as in `.ci/run`
FOLDER = Path(ROOT, os.environ.get("SHARED") or "../shared", "findings", "programs")


def shortened(source: str, changes: Mapping[str, str]) -> str:
    """The source with each text of ``changes`` replaced, which it must have once."""
    for old, new in changes.items():
        n = source.count(old)
        assert n == 1, f"the program has {old!r} {n} times: it was changed, and so must its test be"
        source = source.replace(old, new)
    return source


def run(
    name: str, changes: Mapping[str, str], linker: str = "cvm"
) -> tuple[dict[str, Any], list[str]]:
    """The variables of a program after its end, and the lines that it printed."""
    path = FOLDER / f"{name}.py"
    if not path.exists():
        pytest.skip(
            f"{path} is not there: the programs lie beside the checkout, or SHARED says where"
        )
    code = compile(shortened(path.read_text(encoding="utf-8"), changes), str(path), "exec")
    variables: dict[str, Any] = {"__name__": name}
    printed = io.StringIO()
    floatX, state = theano.config.floatX, np.random.get_state()
    try:
        with contextlib.redirect_stdout(printed), theano.config.change_flags(linker=linker):
            exec(code, variables)
    finally:
        theano.config.floatX = floatX
        np.random.set_state(state)
    return variables, printed.getvalue().splitlines()


def streams(seed: int, n: int) -> list[np.random.RandomState]:
    """The generators of the first draws of ``RandomStreams(seed)``, as documented."""
    seeds = np.random.RandomState(seed)
    return [np.random.RandomState(int(seeds.randint(2**30))) for _ in range(n)]


class Mrg:
    """The first draw of ``MRG_RandomStreams(seed)`` in float32: the published MRG31k3p.

    P. L'Ecuyer and R. Touzin, "Fast combined multiple recursive generators", 2000. Sample i comes
    from stream i; streams begin 2**72 steps apart.
    """

    M = (2**31 - 1, 2**31 - 21069)
    STEPS = (
        [[0, 2**22, 2**7 + 1], [1, 0, 0], [0, 1, 0]],
        [[2**15, 0, 2**15 + 1], [1, 0, 0], [0, 1, 0]],
    )

    def __init__(self, seed: int, n: int) -> None:
        self.states = []
        for m, step in zip(self.M, self.STEPS, strict=True):
            leap = np.array(step, object)
            for _ in range(72):
                leap = leap.dot(leap) % m
            rows = [np.array([seed] * 3, object)]
            for _ in range(n - 1):
                rows.append(leap.dot(rows[-1]) % m)
            self.states.append(np.array(rows).T)

    def uniform(self) -> np.ndarray:
        """The next number of each stream."""
        self.states = [
            np.array(step, object).dot(state) % m
            for m, step, state in zip(self.M, self.STEPS, self.states, strict=True)
        ]
        z = (self.states[0][0] - self.states[1][0]) % self.M[0]
        return np.where(z == 0, self.M[0], z).astype("float32") * np.float32(4.6566126e-10)

    def normal(self) -> np.ndarray:
        """Box and Muller's normal numbers of the next uniform ones."""
        u, v = np.split(self.uniform(), 2)
        r, angle = np.sqrt(np.float32(-2) * np.log(u)), np.float32(2 * np.pi) * v
        return np.concatenate([r * np.cos(angle), r * np.sin(angle)])
