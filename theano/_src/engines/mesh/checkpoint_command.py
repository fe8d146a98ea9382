"""``theano-checkpoints``: list the checkpoints of a folder, and check whether they can be read."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from theano._src.engines.mesh.checkpoint_reader import (
    Checkpoint,
    Reader,
    checkpoints_in,
    problem_of,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="theano-checkpoints",
        description="List the checkpoints that theano.checkpoint.save has written into a folder. "
        "Ends with 1 if there is none that can be used.",
    )
    parser.add_argument("folder")
    parser.add_argument("--verify", action="store_true", help="read all of them")
    parser.add_argument("--contents", action="store_true", help="tell what is in them")
    options = parser.parse_args(arguments)
    checkpoints = checkpoints_in(options.folder)
    if not checkpoints:
        print(f"no checkpoints in {options.folder}")
        return 1
    good = 0
    for each in checkpoints:
        problem = problem_of(each) if options.verify or not each.is_whole else None
        good += problem is None
        print(f"{_line(each)}  {problem or ('verified' if options.verify else 'whole')}")
        if options.contents and problem is None:
            for name, what in Reader(each).contents().items():
                print(f"    {name}  {what}")
    return 0 if good else 1


def _line(checkpoint: Checkpoint) -> str:
    files = [entry for entry in os.scandir(checkpoint.path) if entry.is_file()]
    nbytes = sum(entry.stat().st_size for entry in files)
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(os.path.getmtime(checkpoint.path)))
    parts = f"{len(checkpoint.parts)} parts" if checkpoint.is_whole else f"{len(files)} files"
    return f"step {checkpoint.step:>10}  {parts:>10}  {nbytes:>14,} bytes  {when}"


if __name__ == "__main__":
    sys.exit(main())
