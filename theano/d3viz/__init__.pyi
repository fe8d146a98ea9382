# Written by tools/stubs.py from __init__.py: change that file.
from theano.d3viz.d3viz import d3viz as d3viz, d3write as d3write
