"""Profiles of functions."""

from theano._src.compile.profile.profiling import (
    ProfileStats as ProfileStats,
    print_global_stats as print_global_stats,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
