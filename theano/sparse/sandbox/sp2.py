"""Random sparse matrices, and ops that were tried here before they moved to theano.sparse."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.sparse.random: Binomial Multinomial Poisson csc_dbinomial csc_fbinomial
        csr_dbinomial csr_fbinomial multinomial poisson
    theano.sparse.basic: CSC CSM CSR AddSSData Cast CSMProperties HStack MulSV Remove0
        SamplingDot StructuredAddSV VStack add_s_s add_s_s_data hstack mul_s_d mul_s_s mul_s_v
        neg remove0 sampling_dot structured_add structured_add_s_v structured_exp structured_log
        structured_maximum structured_minimum structured_monoid structured_pow
        structured_sigmoid vstack
    """,
)
