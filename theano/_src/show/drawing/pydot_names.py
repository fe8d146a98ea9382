"""Whether pydot is there; loaded at first use, for pydot takes a while to load."""

from __future__ import annotations

import importlib.util

from theano._src.ground.packages import not_loaded

pydot_imported = importlib.util.find_spec("pydot") is not None
pydot_imported_msg = "" if pydot_imported else not_loaded("pydot")
