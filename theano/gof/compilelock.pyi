# Written by tools/stubs.py from compilelock.py: change that file.
from theano._src.ground.compilelock import (
    force_unlock as force_unlock,
    get_lock as get_lock,
    lock_ctx as lock_ctx,
    release_lock as release_lock,
    set_lock_status as set_lock_status,
)
