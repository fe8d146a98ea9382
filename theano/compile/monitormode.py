"""The mode that calls functions around each node."""

from theano._src.compile.monitor import MonitorMode as MonitorMode, detect_nan as detect_nan
