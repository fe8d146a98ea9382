# Written by tools/stubs.py from monitormode.py: change that file.
from theano._src.compile.debug.monitor import MonitorMode as MonitorMode, detect_nan as detect_nan
