"""Indexing."""

from theano._src.ground.errors import AdvancedBooleanIndexingError, AdvancedIndexingError
from theano._src.ops.arrays.select import take
from theano._src.ops.index.advanced import (
    AdvancedBooleanIncSubtensor,
    AdvancedBooleanSubtensor,
    AdvancedIncSubtensor,
    AdvancedSubtensor,
    BaseAdvancedIncSubtensor,
    BaseAdvancedSubtensor,
    advanced_boolean_inc_subtensor,
    advanced_boolean_set_subtensor,
    advanced_boolean_subtensor,
    advanced_inc_subtensor,
    advanced_set_subtensor,
    advanced_subtensor,
)
from theano._src.ops.index.index import inc_subtensor, set_subtensor
from theano._src.ops.index.index_list import as_index_variable, check_and_reject_bool, get_idx_list
from theano._src.ops.index.slices import get_canonical_form_slice
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import (
    AdvancedIncSubtensor1,
    AdvancedSubtensor1,
    advanced_inc_subtensor1,
    advanced_set_subtensor1,
    advanced_subtensor1,
)

__all__ = [
    "AdvancedBooleanIndexingError",
    "AdvancedIndexingError",
    "AdvancedBooleanIncSubtensor",
    "AdvancedBooleanSubtensor",
    "AdvancedIncSubtensor",
    "AdvancedIncSubtensor1",
    "AdvancedSubtensor",
    "AdvancedSubtensor1",
    "BaseAdvancedIncSubtensor",
    "BaseAdvancedSubtensor",
    "IncSubtensor",
    "Subtensor",
    "advanced_boolean_inc_subtensor",
    "advanced_boolean_set_subtensor",
    "advanced_boolean_subtensor",
    "advanced_inc_subtensor",
    "advanced_inc_subtensor1",
    "advanced_set_subtensor",
    "advanced_set_subtensor1",
    "advanced_subtensor",
    "advanced_subtensor1",
    "as_index_variable",
    "check_and_reject_bool",
    "get_canonical_form_slice",
    "get_idx_list",
    "inc_subtensor",
    "set_subtensor",
    "take",
]
