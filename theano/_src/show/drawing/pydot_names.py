"""Whether pydot is installed; it is slow to load, so it is loaded at first use."""

from __future__ import annotations

import importlib.util

from theano._src.ground.packages import not_loaded

pydot_imported = importlib.util.find_spec("pydot") is not None
pydot_imported_msg = "" if pydot_imported else not_loaded("pydot")
