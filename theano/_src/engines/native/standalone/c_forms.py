"""The forms of ops that only exported C has.

Convolutions and pooling are functions of arrays that are written along. The last digits of
convolutions are not those of NumPy, so the native engine calls back instead.
"""

from __future__ import annotations

from theano._src.engines.native.forms.table import native_forms
from theano._src.engines.native.lowering import Form
from theano._src.engines.native.standalone import convolutions, pooling, stored_elements
from theano._src.graph.op_table import OpTable

c_forms: OpTable[Form] = OpTable(
    {
        "theano.compile.ops.DeepCopyOp": stored_elements.copied,
        "theano.sparse.basic.CSM": stored_elements.matrix,
        "theano._src.control.sparsity.op.Assemble": stored_elements.matrix,
        "theano.tensor.nnet.abstract_conv.AbstractConv": convolutions.outputs,
        "theano.tensor.nnet.abstract_conv.AbstractConv_gradInputs": convolutions.images,
        "theano.tensor.nnet.abstract_conv.AbstractConv_gradWeights": convolutions.filters,
        "theano.tensor.signal.pool.AveragePoolGrad": pooling.images_of_means,
        "theano.tensor.signal.pool.DownsampleFactorMaxGradGrad": pooling.tangents_of_largest,
        "theano.tensor.signal.pool.MaxPoolGrad": pooling.images_of_largest,
        "theano.tensor.signal.pool.Pool": pooling.pool,
    },
    by_meaning=True,
    base=native_forms,
)
