"""ProfileMode, the mode that times functions."""

from theano._src.compile.profile.profilemode import ProfileMode as ProfileMode
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
