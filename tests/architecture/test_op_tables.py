"""Tables by class of ops: each row names a class that exists."""

from tests.op_classes import op_classes
from theano._src.engines.choice.work import op_work


def test_the_table_of_work_names_existing_classes():
    assert set(op_work.names()) - op_classes().keys() == set()
