"""``python -m theano``: what is installed, its devices, flags and cache, and a self-test."""

from theano._src.compile.commands.command import main as _main

if __name__ == "__main__":
    raise SystemExit(_main())
