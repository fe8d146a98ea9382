"""Meshes of devices and several processes: how values are sharded, how processes stay in step."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.planning.plan: plan
    theano._src.engines.mesh.agreement: Disagreement
    theano._src.engines.mesh.checkpoint: latest load save
    theano._src.engines.mesh.processes: gather initialize process_count process_index
        should_stop shutdown
    theano._src.engines.planning.report: Plan
    theano._src.ops.meta.constrain: Constrain constrain
    theano._src.types.sharding: Mesh Sharding mesh
    theano._src.types.shared: shard
    theano._src.types.topology: Topology topology
    """,
)
