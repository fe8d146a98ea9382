# Written by tools/stubs.py from __init__.py: change that file.

