# Written by tools/stubs.py from nnet.py: change that file.
from theano._src.ops.elementwise.activations import (
    ScalarSoftsign as ScalarSoftsign,
    elu as elu,
    relu as relu,
    scalar_softsign as scalar_softsign,
    selu as selu,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
)
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1HotWithBiasDx as CrossentropySoftmax1HotWithBiasDx,
    CrossentropySoftmaxArgmax1HotWithBias as CrossentropySoftmaxArgmax1HotWithBias,
    crossentropy_softmax_1hot_with_bias_dx as crossentropy_softmax_1hot_with_bias_dx,
    crossentropy_softmax_argmax_1hot_with_bias as crossentropy_softmax_argmax_1hot_with_bias,
)
from theano._src.ops.nnet.hsoftmax import (
    Prepend_scalar_constant_to_each_row as Prepend_scalar_constant_to_each_row,
    Prepend_scalar_to_each_row as Prepend_scalar_to_each_row,
    confusion_matrix as confusion_matrix,
    h_softmax as h_softmax,
    prepend_0_to_each_row as prepend_0_to_each_row,
    prepend_1_to_each_row as prepend_1_to_each_row,
    prepend_scalar_to_each_row as prepend_scalar_to_each_row,
)
from theano._src.ops.nnet.losses import (
    CrossentropyCategorical1Hot as CrossentropyCategorical1Hot,
    CrossentropyCategorical1HotGrad as CrossentropyCategorical1HotGrad,
    binary_crossentropy as binary_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    crossentropy_categorical_1hot as crossentropy_categorical_1hot,
    crossentropy_categorical_1hot_grad as crossentropy_categorical_1hot_grad,
    crossentropy_softmax_1hot as crossentropy_softmax_1hot,
    crossentropy_softmax_1hot_with_bias as crossentropy_softmax_1hot_with_bias,
    crossentropy_softmax_max_and_argmax_1hot as crossentropy_softmax_max_and_argmax_1hot,
    crossentropy_softmax_max_and_argmax_1hot_with_bias as crossentropy_softmax_max_and_argmax_1hot_with_bias,
    sigmoid_binary_crossentropy as sigmoid_binary_crossentropy,
)
from theano._src.ops.nnet.softmax import (
    LogSoftmax as LogSoftmax,
    Softmax as Softmax,
    SoftmaxGrad as SoftmaxGrad,
    SoftmaxWithBias as SoftmaxWithBias,
    logsoftmax as logsoftmax,
    logsoftmax_op as logsoftmax_op,
    softmax as softmax,
    softmax_grad as softmax_grad,
    softmax_graph as softmax_graph,
    softmax_op as softmax_op,
    softmax_with_bias as softmax_with_bias,
)
from theano._src.rules.named import (
    crossentropy_to_crossentropy_with_softmax as crossentropy_to_crossentropy_with_softmax,
    crossentropy_to_crossentropy_with_softmax_with_bias as crossentropy_to_crossentropy_with_softmax_with_bias,
    graph_merge_softmax_with_crossentropy_softmax as graph_merge_softmax_with_crossentropy_softmax,
    local_advanced_indexing_crossentropy_onehot as local_advanced_indexing_crossentropy_onehot,
    local_advanced_indexing_crossentropy_onehot_grad as local_advanced_indexing_crossentropy_onehot_grad,
    local_argmax_pushdown as local_argmax_pushdown,
    local_logsoftmax as local_logsoftmax,
    local_logsoftmax_grad as local_logsoftmax_grad,
    local_softmax_grad_to_crossentropy_with_softmax_grad as local_softmax_grad_to_crossentropy_with_softmax_grad,
    local_softmax_with_bias as local_softmax_with_bias,
    local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc as local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc,
)
