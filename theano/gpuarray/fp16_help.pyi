# Written by tools/stubs.py from fp16_help.py: change that file.
from theano._src.legacy.gpu import load_w as load_w, work_dtype as work_dtype, write_w as write_w
