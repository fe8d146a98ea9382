"""Containers that Python 2 had late."""

from collections import Counter as Counter, OrderedDict as OrderedDict, defaultdict as defaultdict

from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
