"""``python -m theano.distributed``: as ``theano-launch``."""

from theano._src.engines.mesh.launcher import main as _main

if __name__ == "__main__":
    raise SystemExit(_main())
