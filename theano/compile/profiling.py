"""Profiles of functions."""

from theano._src.compile.profiling import ProfileStats as ProfileStats
