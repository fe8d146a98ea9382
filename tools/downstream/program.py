"""Starts a program of a package as Python does; the arguments are LIMIT FILE ARGUMENTS.

The shim of old packages comes first, and the operating system ends what takes more than LIMIT
seconds of the processor. A program that does not seed its random numbers draws the same each time.
It runs with Theano 1.0.5 too.
"""

import importlib
import os
import random
import resource
import runpy
import sys

import numpy


def main():
    limit, *sys.argv = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(float(limit)), resource.RLIM_INFINITY))
    for name in filter(None, os.environ["DOWNSTREAM_SHIM"].split()):
        importlib.import_module(name)
    # the program may have a module of this name
    for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
        del sys.modules[name]
    random.seed(0)
    numpy.random.seed(0)
    # the folder in which it runs comes first: that of a program of ours has nothing of the package
    sys.path[0] = os.getcwd()
    if sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    elif sys.argv[0] == "-c":
        exec(compile(sys.argv.pop(1), "<command>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(1, os.path.dirname(os.path.abspath(sys.argv[0])))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
