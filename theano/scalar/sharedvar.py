"""Shared variables that hold one number."""

from theano._src.types.shared_number import ScalarSharedVariable, shared_number as shared

__all__ = ["ScalarSharedVariable", "shared"]
