# Written by tools/stubs.py from profilemode.py: change that file.
from theano._src.compile.profile.profilemode import ProfileMode as ProfileMode
