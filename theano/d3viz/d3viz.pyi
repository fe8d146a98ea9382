# Written by tools/stubs.py from d3viz.py: change that file.
from theano._src.show.drawing.d3viz import d3viz as d3viz, d3write as d3write
