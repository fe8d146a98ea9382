"""What a picture of a graph shows: nodes, edges, and the graphs inside nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: what a node of a picture may be; the ops among them are told apart by their family
KINDS = ("input", "constant", "shared", "apply", "variable", "output", "update", "unused", "more")


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A box of a picture: an op, or a variable that the picture shows by itself.

    Attributes
    ----------
    id : str
        Its name within its picture.
    kind : str
        One of `KINDS`; 'more' stands for a part of the graph that is left out.
    label : str
        A short text.
    text : str
        All of it: ``str`` of the op, or the value of a constant.
    op : str
        The class of the op; empty if there is none.
    family : str
        What the op is among ops, as 'elementwise'; empty if there is none.
    type : str
        The type of the variable, or of the first output.
    dtype : str
        Its dtype; empty if the type has none.
    shape : tuple of int or None, or None
        Its lengths, None for one that is not known; None for what has no dimensions.
    name : str
        The user's name of the variable, or of the first output that has one.
    position : int or None
        Where the op stands in the order of computation.
    seconds : float or None
        What a profile has measured for the op.
    share : float or None
        The part of all measured seconds, from 0 to 1.
    line : str
        The user's line that made it, ``file:number``; empty if not known.
    source : str
        The text of that line.
    rewritten_from : str
        The ops of the graph as the user wrote it that this one stands for, if rewriting made it.
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
    """A line of a picture, from what makes a variable to what uses it.

    Attributes
    ----------
    source, target : str
        Ids of nodes.
    label : str
        What tells the inputs of an op apart: a number, or a word as 'then'.
    kind : str
        'use'; 'view' if the op gives a view of that input, 'destroy' if it overwrites it,
        'update' from the new value to the shared variable that gets it.
    type : str
        The type of the variable.
    name : str
        The variable's name.
    input, output : int or None
        Which input of the target it is, and which output of the source.
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
    """A graph as it is drawn; made by `describe`.

    Attributes
    ----------
    title : str
    nodes : tuple of PictureNode
        In an order in which each comes after what it is computed from, outputs last.
    edges : tuple of PictureEdge
    note : str
        A sentence on what is left out; empty if nothing is.
    total : int
        How many ops the graph has, drawn or not.
    ids : mapping
        The id of each Apply node and of each variable that has a box of its own.
    """

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    note: str = ""
    total: int = 0
    ids: Mapping[Any, str] = field(default_factory=dict, compare=False, repr=False)

    def node(self, id: str) -> PictureNode:
        """The node that has an id."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise KeyError(f"the picture has no node {id!r}; its ids are n1, n2 and so on")
