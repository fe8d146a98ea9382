"""The linker called c|py."""

from theano._src.engines.documented_linkers import OpWiseCLinker as OpWiseCLinker
from theano._src.engines.dual_linker import DualLinker as DualLinker
