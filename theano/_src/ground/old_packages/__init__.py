"""Names that old packages import and that today's Python and libraries no longer have.

``import theano`` loads nothing from here; ``import theano.old_packages`` and
``python -m theano run`` enable it. An existing name is never replaced. The parts:

- ``names``: the tables of names, methods and modules; ``substitutes``: functions that they name
- ``stand_ins``: replacements for removed modules
- ``corrections``: source lines of packages that need other changes than a name
- ``python2``: conversion of Python 2 sources
- ``hook``: the import hooks that use all of these
- ``program``: runs a program as ``python PROGRAM`` does
- ``recipes``: the commands that install each package
"""
