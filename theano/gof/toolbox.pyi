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
from theano._src.ground.errors import (
    AlreadyThere as AlreadyThere,
    BadOptimization as BadOptimization,
    ReplacementDidntRemovedError as ReplacementDidntRemovedError,
)
