"""Indexing."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.errors: AdvancedBooleanIndexingError AdvancedIndexingError
    theano._src.ops.arrays.select: take
    theano._src.ops.index.advanced: AdvancedBooleanIncSubtensor AdvancedBooleanSubtensor
        AdvancedIncSubtensor AdvancedSubtensor BaseAdvancedIncSubtensor BaseAdvancedSubtensor
        advanced_boolean_inc_subtensor advanced_boolean_set_subtensor advanced_boolean_subtensor
        advanced_inc_subtensor advanced_set_subtensor advanced_subtensor
    theano._src.ops.index.index: inc_subtensor set_subtensor
    theano._src.ops.index.index_list: as_index_variable check_and_reject_bool get_idx_list
    theano._src.ops.index.slices: get_canonical_form_slice
    theano._src.ops.index.subtensor: IncSubtensor Subtensor
    theano._src.ops.index.subtensor1: AdvancedIncSubtensor1 AdvancedSubtensor1
        advanced_inc_subtensor1 advanced_set_subtensor1 advanced_subtensor1
    """,
)
