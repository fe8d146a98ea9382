"""ifelse: a choice between branches, of which one is computed."""

from theano._src.control.ifelse import IfElse as IfElse, ifelse as ifelse
