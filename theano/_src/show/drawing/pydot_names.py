"""Whether pydot is there; loaded at first use, for pydot takes a while to load."""

from __future__ import annotations

import importlib.util

pydot_imported = importlib.util.find_spec("pydot") is not None
pydot_imported_msg = (
    "" if pydot_imported else "pydot is not installed; pip install 'theano-xla[drawing]' brings it"
)
