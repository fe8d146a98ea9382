# Written by tools/stubs.py from version.py: change that file.
from theano._src.ground.version import __version__ as __version__, language as _language

version = __version__
full_version = __version__
short_version = _language
