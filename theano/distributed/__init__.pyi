# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.compile.planning.plan import plan as plan
from theano._src.engines.mesh.agreement import Disagreement as Disagreement
from theano._src.engines.mesh.checkpoint import latest as latest, load as load, save as save
from theano._src.engines.mesh.processes import (
    gather as gather,
    initialize as initialize,
    process_count as process_count,
    process_index as process_index,
    should_stop as should_stop,
    shutdown as shutdown,
)
from theano._src.engines.planning.report import Plan as Plan
from theano._src.ops.meta.constrain import Constrain as Constrain, constrain as constrain
from theano._src.types.sharding import Mesh as Mesh, Sharding as Sharding, mesh as mesh
from theano._src.types.shared import shard as shard
from theano._src.types.topology import Topology as Topology, topology as topology
