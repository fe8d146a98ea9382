# Written by tools/stubs.py from old_packages.py: change that file.

