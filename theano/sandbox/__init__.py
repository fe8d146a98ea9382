"""Doors that stood apart: kept where programs look for them."""

from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
