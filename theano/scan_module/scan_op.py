"""The op behind loops."""

from theano._src.control.scan.op import Scan as Scan
