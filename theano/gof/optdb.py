"""Selection of rewrites by tags."""

from theano._src.rewrite.database import Query

__all__ = ["Query"]
