# Written by tools/stubs.py from toolbox.py: change that file.
from theano._src.graph.features import (
    Bookkeeper as Bookkeeper,
    Feature as Feature,
    History as History,
    NodeFinder as NodeFinder,
    NoOutputFromInplace as NoOutputFromInplace,
    PreserveNames as PreserveNames,
    PreserveVariableAttributes as PreserveVariableAttributes,
    PrintListener as PrintListener,
    ReplaceValidate as ReplaceValidate,
    Validator as Validator,
)
from theano._src.graph.walk import is_same_graph as is_same_graph
from theano._src.ground.errors import (
    AlreadyThere as AlreadyThere,
    BadOptimization as BadOptimization,
    ReplacementDidntRemovedError as _ReplacementDidntRemovedError,
)
from theano._src.rewrite.merge import is_same_graph_with_merge as is_same_graph_with_merge

ReplacementDidNotRemoveError = _ReplacementDidntRemovedError
