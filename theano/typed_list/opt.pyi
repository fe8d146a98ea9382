# Written by tools/stubs.py from opt.py: change that file.
from theano._src.rules.named import typed_list_inplace_opt as typed_list_inplace_opt
