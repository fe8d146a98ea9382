"""Names that old packages import and that today's Python and libraries no longer have.

Nothing here is loaded by ``import theano``; ``import theano.old_packages`` and
``python -m theano run`` switch it on. A name that exists is never replaced. The parts:

- ``names``: the tables of names, methods and modules; ``substitutes``: functions that they name
- ``stand_ins``: modules that take the place of those that are gone
- ``corrections``: lines of packages that no name can make work
- ``python2``: sources of Python 2, converted
- ``hook``: what ``import`` does with all of these
- ``program``: runs a program as ``python PROGRAM`` does
- ``recipes``: the commands that install each package
"""
