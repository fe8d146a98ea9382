"""The mode that calls functions around each node."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.compile.debug.monitor: MonitorMode detect_nan")
