"""Tables by class of ops: each row names a class that exists (ADR 26)."""

import pytest

from tests.op_classes import op_classes
from theano._src.engines.choice.work import op_work
from theano._src.engines.numpy.lines import host_text
from theano._src.engines.undo import written_at
from theano._src.ops.core.composite_loop import plain_calls
from theano._src.ops.core.scalar_c import c_text
from theano._src.rules.inplace import inplace_forms

TABLES = {
    "work": op_work,
    "text of the numpy engine": host_text,
    "parts that are overwritten": written_at,
    "forms in place": inplace_forms,
    "text of C": c_text,
    "calls without checks": plain_calls,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_names_classes_of_ops_that_exist(table):
    assert set(table.names()) - op_classes().keys() == set()
