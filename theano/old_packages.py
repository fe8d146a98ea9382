"""Old packages on today's libraries: importing this module brings the names that they miss.

``import theano.old_packages``, before anything else, is the one line for a notebook. A program
needs no line: ``python -m theano run PROGRAM``. See the page `library/old_packages`.
"""

from theano._src.ground.old_packages.hook import enable_and_getattr as _enable_and_getattr

__getattr__ = _enable_and_getattr(__name__)
