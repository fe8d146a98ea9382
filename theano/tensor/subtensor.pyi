# Written by tools/stubs.py from subtensor.py: change that file.
from theano._src.ground.errors import (
    AdvancedBooleanIndexingError as AdvancedBooleanIndexingError,
    AdvancedIndexingError as AdvancedIndexingError,
)
from theano._src.ops.arrays.select import take as take
from theano._src.ops.index.advanced import (
    AdvancedBooleanIncSubtensor as AdvancedBooleanIncSubtensor,
    AdvancedBooleanSubtensor as AdvancedBooleanSubtensor,
    AdvancedIncSubtensor as AdvancedIncSubtensor,
    AdvancedSubtensor as AdvancedSubtensor,
    BaseAdvancedIncSubtensor as BaseAdvancedIncSubtensor,
    BaseAdvancedSubtensor as BaseAdvancedSubtensor,
    advanced_boolean_inc_subtensor as advanced_boolean_inc_subtensor,
    advanced_boolean_set_subtensor as advanced_boolean_set_subtensor,
    advanced_boolean_subtensor as advanced_boolean_subtensor,
    advanced_inc_subtensor as advanced_inc_subtensor,
    advanced_set_subtensor as advanced_set_subtensor,
    advanced_subtensor as advanced_subtensor,
)
from theano._src.ops.index.index import (
    inc_subtensor as inc_subtensor,
    set_subtensor as set_subtensor,
)
from theano._src.ops.index.index_list import (
    as_index_variable as as_index_variable,
    check_and_reject_bool as check_and_reject_bool,
    get_idx_list as get_idx_list,
)
from theano._src.ops.index.slices import get_canonical_form_slice as get_canonical_form_slice
from theano._src.ops.index.subtensor import IncSubtensor as IncSubtensor, Subtensor as Subtensor
from theano._src.ops.index.subtensor1 import (
    AdvancedIncSubtensor1 as AdvancedIncSubtensor1,
    AdvancedSubtensor1 as AdvancedSubtensor1,
    advanced_inc_subtensor1 as advanced_inc_subtensor1,
    advanced_set_subtensor1 as advanced_set_subtensor1,
    advanced_subtensor1 as advanced_subtensor1,
)
