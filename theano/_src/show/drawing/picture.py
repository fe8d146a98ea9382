"""Picture: the nodes and edges of a drawing, and the graphs inside nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: the kinds of nodes in a picture; ops ('apply') also have a family
KINDS = ("input", "constant", "shared", "apply", "variable", "output", "update", "unused", "more")


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A box of a picture: an op, or a variable with its own box.

    Attributes
    ----------
    id : str
        Unique in its picture.
    kind : str
        One of `KINDS`; 'more' represents a part of the graph that is not drawn.
    label : str
        A short text.
    text : str
        The full text: ``str`` of the op, or the value of a constant.
    op : str
        The class name of the op; empty for variables.
    family : str
        The kind of op, such as 'elementwise'; empty for variables.
    type : str
        The type of the variable, or of the first output.
    dtype : str
        Its dtype; empty if the type has none.
    shape : tuple of int or None, or None
        Its lengths, None for an unknown length; None for types without dimensions.
    name : str
        The user's name of the variable, or of the first output that has one.
    position : int or None
        The position of the op in the order of computation.
    seconds : float or None
        The time of the op in a profile.
    share : float or None
        The fraction of the total time, from 0 to 1.
    line : str
        The user's line that created it, ``file:number``; empty if unknown.
    source : str
        The text of that line.
    rewritten_from : str
        The ops of the user's graph that this op replaced, if it comes from rewriting.
    inner : tuple of Picture
        The graphs inside the op.
    """

    id: str
    kind: str
    label: str
    text: str = ""
    op: str = ""
    family: str = ""
    type: str = ""
    dtype: str = ""
    shape: tuple[int | None, ...] | None = None
    name: str = ""
    position: int | None = None
    seconds: float | None = None
    share: float | None = None
    line: str = ""
    source: str = ""
    rewritten_from: str = ""
    inner: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """An edge of a picture, from the node that computes a variable to a node that uses it.

    Attributes
    ----------
    source, target : str
        Ids of nodes.
    label : str
        Identifies the input of an op: a number, or a word such as 'then'.
    kind : str
        'use'; 'view' if the op returns a view of that input; 'destroy' if it overwrites it;
        'update' from a new value to its shared variable.
    type : str
        The type of the variable.
    name : str
        The variable's name.
    input, output : int or None
        The position among the inputs of the target, and among the outputs of the source.
    """

    source: str
    target: str
    label: str = ""
    kind: str = "use"
    type: str = ""
    name: str = ""
    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A graph to draw; made by `describe`.

    Attributes
    ----------
    title : str
    nodes : tuple of PictureNode
        In topological order, outputs last.
    edges : tuple of PictureEdge
    note : str
        A sentence about parts that are not drawn; empty if all are.
    total : int
        The number of ops in the graph, drawn or not.
    ids : mapping
        The id of each Apply node and of each variable with its own box.
    """

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    note: str = ""
    total: int = 0
    ids: Mapping[Any, str] = field(default_factory=dict, compare=False, repr=False)

    def node(self, id: str) -> PictureNode:
        """Return the node with an id."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise KeyError(f"the picture has no node {id!r}; its ids are n1, n2 and so on")
