# Written by tools/stubs.py from python2x.py: change that file.
from collections import Counter as Counter, OrderedDict as OrderedDict, defaultdict as defaultdict
