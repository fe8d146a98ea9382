"""Containers that Python 2 had late."""

from collections import Counter, OrderedDict, defaultdict

__all__ = ["Counter", "OrderedDict", "defaultdict"]
