"""Tables by class of ops: each row names a class that exists (ADR 26)."""

from pkgutil import resolve_name

import pytest

from tests.op_classes import op_classes
from theano._src.compile.files.op_props import file_forms
from theano._src.control.sparsity import entries
from theano._src.control.sparsity.table import sparsity_rules
from theano._src.engines.choice.work import op_work
from theano._src.engines.native.forms.table import native_forms
from theano._src.engines.native.standalone.c_forms import c_forms
from theano._src.engines.node_kinds import takes_none
from theano._src.engines.numpy.lines import host_text
from theano._src.engines.undo import written_at
from theano._src.graph import old_state
from theano._src.ops.core.composite_loop import plain_calls
from theano._src.rules.inplace import inplace_forms
from theano._src.rules.linalg import derived
from theano._src.show import plan
from theano._src.types import checked

TABLES = {
    "work": op_work,
    "sparsity": sparsity_rules,
    "derivatives that are 0": entries._FLAT,
    "text of the numpy engine": host_text,
    "native forms": native_forms,
    "forms of exported C": c_forms,
    "parts that are overwritten": written_at,
    "forms in place": inplace_forms,
    "calls without checks": plain_calls,
    "facts about matrices": derived.derived,
    "facts by elements": derived._ELEMENTS,
    "signs": derived._SIGNS,
    "graph files": file_forms,
    "pickles of Theano 1.0": old_state._REMADE,
    "conditions": checked._CHECKED,
    "flags": checked._WITH_FLAGS,
    "reasons for the host": plan._WHY_HOST,
    "inputs that may be None": takes_none,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_names_classes_that_exist(table):
    left = set(table.names()) - op_classes().keys()
    # files hold rules of dtypes too, which are no ops
    assert {name for name in left if not isinstance(resolve_name(name), type)} == set()
