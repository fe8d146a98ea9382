"""The mode that calls functions around each node."""

from theano._src.compile.debug.monitor import MonitorMode as MonitorMode, detect_nan as detect_nan
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
