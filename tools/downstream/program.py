"""Starts a program of a package as Python does; the arguments are LIMIT FILE ARGUMENTS.

The shim of old packages comes first, and the operating system ends what takes more than LIMIT
seconds of the processor. It runs with Theano 1.0.5 too.
"""

import importlib
import os
import resource
import runpy
import sys


def main():
    limit, *sys.argv = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(float(limit)), resource.RLIM_INFINITY))
    for name in filter(None, os.environ["DOWNSTREAM_SHIM"].split()):
        importlib.import_module(name)
    if sys.argv[0] == "-m":
        _, module, *_ = sys.argv
        sys.argv = sys.argv[1:]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    # the folder of the program, and that in which it runs: a program of ours is not there
    sys.path[:0] = [os.path.dirname(os.path.abspath(sys.argv[0])), os.getcwd()]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
