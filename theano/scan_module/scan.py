"""The general loop."""

from theano._src.control.scan.api import scan as scan
