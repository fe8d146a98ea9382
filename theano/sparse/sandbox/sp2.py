"""Random sparse matrices, and ops that were tried here before they moved to theano.sparse."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.sparse.random import (
    Binomial as Binomial,
    Multinomial as Multinomial,
    Poisson as Poisson,
    csc_dbinomial as csc_dbinomial,
    csc_fbinomial as csc_fbinomial,
    csr_dbinomial as csr_dbinomial,
    csr_fbinomial as csr_fbinomial,
    multinomial as multinomial,
    poisson as poisson,
)
from theano.sparse.basic import (
    CSC as CSC,
    CSM as CSM,
    CSR as CSR,
    AddSSData as AddSSData,
    Cast as Cast,
    CSMProperties as CSMProperties,
    HStack as HStack,
    MulSV as MulSV,
    Remove0 as Remove0,
    SamplingDot as SamplingDot,
    StructuredAddSV as StructuredAddSV,
    VStack as VStack,
    add_s_s as add_s_s,
    add_s_s_data as add_s_s_data,
    hstack as hstack,
    mul_s_d as mul_s_d,
    mul_s_s as mul_s_s,
    mul_s_v as mul_s_v,
    neg as neg,
    remove0 as remove0,
    sampling_dot as sampling_dot,
    structured_add as structured_add,
    structured_add_s_v as structured_add_s_v,
    structured_exp as structured_exp,
    structured_log as structured_log,
    structured_maximum as structured_maximum,
    structured_minimum as structured_minimum,
    structured_monoid as structured_monoid,
    structured_pow as structured_pow,
    structured_sigmoid as structured_sigmoid,
    vstack as vstack,
)

__getattr__ = _module_getattr(__name__)
