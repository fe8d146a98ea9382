"""All that an author of Types, Ops, rules or engines needs, on one page.

- an op: ``Op``, ``Apply``, ``as_op``, ``OpFromGraph``; in C: ``FFIOp``; from JAX: ``JaxOp``;
  elementwise: ``ScalarOp`` and its kinds, ``Elemwise``; a reduction: ``CAReduce``; one that holds
  graphs: ``HasInnerGraph``; for type checkers: ``Array``, ``ArrayNamespace``
- further facts about it, as rows of tables (``table[MyOp] = row``): ``op_work``, ``host_text``,
  ``inplace_forms``, ``written_at``, ``file_forms`` (of ``FileForm``)
- its form in formulas: ``pprint.assign`` with ``FunctionPrinter``, ``OperatorPrinter`` or
  ``PatternPrinter``
- its gradient: ``L_op``, ``R_op``; ``disconnected``, ``grad_undefined``, ``grad_not_implemented``
- a type: ``Type``, ``Variable``, ``Constant``
- a rule: ``Hole``, ``Rule``, ``rewrite_rule``, ``Query``; ``Rewriter`` applies some to a graph;
  ``why_not`` says why one does not fire, ``rewriting`` shows what was done, step by step
- a graph: ``FunctionGraph``, ``Feature``, ``NodeFinder``, ``ReplaceValidate``
- an engine: ``Linker``, ``Program``, ``register_linker``, ``register_mode``
"""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.display.rewriting: rewriting why_not
    theano._src.compile.files.op_props: FileForm file_forms
    theano._src.compile.mode: Mode register_linker register_mode
    theano._src.control.op_from_graph: OpFromGraph
    theano._src.engines.choice.work: op_work
    theano._src.engines.jax.jax_op: JaxOp
    theano._src.engines.link: Linker PerformLinker Program
    theano._src.engines.numpy.lines: host_text
    theano._src.engines.undo: written_at
    theano._src.graph.features: Feature History NodeFinder ReplaceValidate
    theano._src.graph.fg: FunctionGraph
    theano._src.graph.graph: Apply Constant Variable
    theano._src.graph.op: HasInnerGraph Op
    theano._src.graph.type: SingletonType Type
    theano._src.ground.array_types: Array ArrayNamespace
    theano._src.ops.core.dimshuffle: DimShuffle
    theano._src.ops.core.elemwise: Elemwise
    theano._src.ops.core.scalar: BinaryScalarOp FloatOp RealOp ScalarOp UnaryScalarOp
    theano._src.ops.core.upcast: same_out upcast_out upgrade_to_float
    theano._src.ops.meta.ffi_op: FFIOp
    theano._src.ops.meta.python_op: as_op
    theano._src.ops.reduce.careduce: CAReduce
    theano._src.rewrite.database: Query
    theano._src.rewrite.driver: Rewriter
    theano._src.rewrite.log: RewriteTrace
    theano._src.rewrite.pattern: Hole
    theano._src.rewrite.rule: Rule rewrite_rule
    theano._src.rules.inplace: inplace_forms
    theano._src.show.forms: pprint
    theano._src.show.pprint: FunctionPrinter OperatorPrinter PatternPrinter
    theano._src.testing.proofs.reals: real_meaning
    theano._src.testing.proofs.table: array_meaning
    theano._src.types.convert: as_tensor_variable constant
    theano._src.types.null: disconnected grad_not_implemented grad_undefined
    theano._src.types.shared_constructors: shared_constructor
    theano._src.types.tensor: TensorType
    """,
)
