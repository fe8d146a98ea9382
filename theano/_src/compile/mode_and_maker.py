"""Find the mode of a function, and the FunctionMaker of that mode."""

from __future__ import annotations

from typing import Any

from theano._src.compile.named_modes import name_mode
from theano._src.ground.lazy import at_first_use

# importing it imports all rewrites
_function_maker = at_first_use("theano._src.compile.maker:FunctionMaker")
_get_mode = at_first_use("theano._src.compile.mode:get_mode")

_profile_mode = at_first_use("theano._src.compile.profile.profilemode:named_profile_mode")
name_mode(_profile_mode, "ProfileMode", "PROFILE_MODE")
_debug_mode = at_first_use("theano._src.compile.debug.debugmode.mode:named_debug_mode")
name_mode(_debug_mode, "DebugMode", "DEBUG_MODE")
_guard_mode = at_first_use("theano._src.compile.debug.nan_guard:NanGuardMode")
name_mode(_guard_mode, "NanGuardMode")


def mode_and_maker(mode: Any) -> tuple[Any, Any]:
    """The mode, given itself or by name, and its own FunctionMaker or the default one."""
    result = _get_mode()(mode)
    return result, getattr(result, "function_maker", None) or _function_maker()
