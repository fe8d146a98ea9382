"""Softmax in its forms, crossentropies, rectifiers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.elementwise.activations: ScalarSoftsign elu relu scalar_softsign selu
        sigmoid softplus softsign
    theano._src.ops.nnet.crossentropy: CrossentropySoftmax1HotWithBiasDx
        CrossentropySoftmaxArgmax1HotWithBias crossentropy_softmax_1hot_with_bias_dx
        crossentropy_softmax_argmax_1hot_with_bias
    theano._src.ops.nnet.hsoftmax: Prepend_scalar_constant_to_each_row
        Prepend_scalar_to_each_row confusion_matrix h_softmax prepend_0_to_each_row
        prepend_1_to_each_row prepend_scalar_to_each_row
    theano._src.ops.nnet.losses: CrossentropyCategorical1Hot CrossentropyCategorical1HotGrad
        binary_crossentropy categorical_crossentropy crossentropy_categorical_1hot
        crossentropy_categorical_1hot_grad crossentropy_softmax_1hot
        crossentropy_softmax_1hot_with_bias crossentropy_softmax_max_and_argmax_1hot
        crossentropy_softmax_max_and_argmax_1hot_with_bias sigmoid_binary_crossentropy
    theano._src.ops.nnet.softmax: LogSoftmax Softmax SoftmaxGrad SoftmaxWithBias logsoftmax
        logsoftmax_op softmax softmax_grad softmax_graph softmax_op softmax_with_bias
    theano._src.rules.named: crossentropy_to_crossentropy_with_softmax
        crossentropy_to_crossentropy_with_softmax_with_bias
        graph_merge_softmax_with_crossentropy_softmax
        local_advanced_indexing_crossentropy_onehot
        local_advanced_indexing_crossentropy_onehot_grad local_argmax_pushdown local_logsoftmax
        local_logsoftmax_grad local_softmax_grad_to_crossentropy_with_softmax_grad
        local_softmax_with_bias local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc
    """,
)
