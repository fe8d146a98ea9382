"""theano.function."""

from theano._src.compile.function import function as function, function_dump as function_dump
