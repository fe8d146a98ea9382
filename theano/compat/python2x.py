"""Containers that Python 2 had late."""

from collections import Counter as Counter, OrderedDict as OrderedDict, defaultdict as defaultdict
