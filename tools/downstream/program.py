"""Starts a program of a package as `python -m theano run` does; arguments: LIMIT FILE ARGUMENTS.

The operating system ends what takes more than LIMIT seconds of the processor. A program that does
not seed its random numbers draws the same each time. It runs with Theano 1.0.5 too.
What it calls is written to the file that DOWNSTREAM_RECORD names, for `tools.hardware`.
"""

import os
import random
import resource
import sys

import numpy


def main():
    limit, *words = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(float(limit)), resource.RLIM_INFINITY))
    from tools.downstream.shim import run_program

    out = os.environ.get("DOWNSTREAM_RECORD")
    if out:
        record(out, sys.modules[run_program.__module__])
    unload_tools()
    random.seed(0)
    numpy.random.seed(0)
    # a program of ours has nothing of the package in its folder
    sys.path.insert(1, os.getcwd())
    sys.exit(run_program(words))


def unload_tools():
    """The program may have a module of this name."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
        del sys.modules[name]


def record(out, starter):
    """Let what the program calls be written."""
    execute = starter._execute

    def recorded(*program):
        # theano was unloaded, and is imported again
        from tools.hardware.recorder import write

        unload_tools()
        write(out, lambda: execute(*program))

    starter._execute = recorded


if __name__ == "__main__":
    main()
