"""Writes the files that later releases must read; run once for each version of the format."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import theano
from tests.compile.file_programs import PROGRAMS
from theano._src.compile.files import file_names
from theano._src.compile.files.graph_file import VERSION

HERE = Path(__file__).parent / "graph_files"


def main() -> None:
    folder = HERE / f"version-{VERSION}"
    folder.mkdir(parents=True, exist_ok=False)
    saved, expected = {}, {}
    for program in PROGRAMS:
        inputs, outputs, values = program()
        f = theano.function(inputs, outputs)
        saved[program.__name__] = (f, values)
    theano.save(folder / "programs.theano", saved)
    for name, (f, values) in saved.items():
        for i, x in enumerate(f(*values)):
            expected[f"{name}_{i}"] = x.toarray() if hasattr(x, "toarray") else x
    np.savez(folder / "expected.npz", **expected)
    file_names._load_all()
    bases = (file_names.PureOp, file_names.PureType)
    every = [cls for base in bases for cls in file_names._subclasses(base)]
    names = {file_names.name_of(cls) for cls in every} - {None}
    (HERE / "names.txt").write_text("\n".join(sorted(names)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
