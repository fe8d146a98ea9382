"""Containers that Python 2 had late."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "collections: Counter OrderedDict defaultdict")
