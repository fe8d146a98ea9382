# Written by tools/stubs.py from profiling.py: change that file.
from theano._src.compile.profile.profiling import (
    ProfileStats as ProfileStats,
    print_global_stats as print_global_stats,
)
