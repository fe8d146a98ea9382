"""By name of a rule, a function that gives the inputs and outputs of a graph on which it fires."""

from tests.rules.examples import (
    ops_core_cast,
    ops_elementwise_activations,
    ops_elementwise_rounding,
    ops_linalg_hints,
    ops_meta_grad_views,
    ops_nnet_ctc,
    rules_algebra,
    rules_blas,
    rules_constant_folding,
    rules_fills,
    rules_fusion,
    rules_joining,
    rules_nnet_crossentropy,
    rules_nnet_softmax_grad,
    rules_nnet_softmax_shift,
    rules_powers,
    rules_products,
    rules_ratios,
    rules_reductions,
    rules_scan_pack,
    rules_shape,
    rules_stability,
    rules_stack_alike,
    rules_switches,
    rules_useless,
)

EXAMPLES = {
    name: example
    for module in (
        ops_core_cast,
        ops_elementwise_activations,
        ops_elementwise_rounding,
        ops_linalg_hints,
        ops_meta_grad_views,
        ops_nnet_ctc,
        rules_algebra,
        rules_blas,
        rules_constant_folding,
        rules_fills,
        rules_fusion,
        rules_joining,
        rules_nnet_crossentropy,
        rules_nnet_softmax_grad,
        rules_nnet_softmax_shift,
        rules_powers,
        rules_products,
        rules_ratios,
        rules_reductions,
        rules_scan_pack,
        rules_shape,
        rules_stability,
        rules_stack_alike,
        rules_switches,
        rules_useless,
    )
    for name, example in module.EXAMPLES.items()
}


def example_of(rule):
    """The inputs and outputs of the example of a rule that is a function."""
    return (rule.example or EXAMPLES[rule.name])()
