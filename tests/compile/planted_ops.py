"""Ops that break what they promise, one for each kind of defect that DebugMode knows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import theano.tensor as T
from theano import gof
from theano.compile.debugmode import (
    BadDestroyMap,
    BadThunkOutput,
    BadViewMap,
    InvalidValueError,
)


class Planted(gof.Op):
    """An op of matrices whose ``perform`` is the given function of inputs and output cells."""

    def __init__(self, run, n_out=1, outputs=None, view_map=None, destroy_map=None):
        self.run, self.n_out, self.outputs = run, n_out, outputs
        if view_map:
            self.view_map = view_map
        if destroy_map:
            self.destroy_map = destroy_map

    def make_node(self, *inputs):
        kinds = self.outputs or [T.dmatrix] * self.n_out
        inputs = [v if isinstance(v, gof.Variable) else T.as_tensor_variable(v) for v in inputs]
        return gof.Apply(self, inputs, [kind() for kind in kinds])

    def perform(self, node, inputs, output_storage):
        self.run(inputs, output_storage)


def op(**options):
    return lambda run: (run, options)


# changes of inputs


@op()
def sets_its_input(ins, outs):
    outs[0][0] = ins[0] + 1
    ins[0][:] = 0


@op()
def adds_into_its_second_input(ins, outs):
    ins[1][...] += ins[0]
    outs[0][0] = ins[1].copy()


@op(destroy_map={0: [1]})
def declares_the_other_input_as_destroyed(ins, outs):
    ins[0][...] *= 2
    outs[0][0] = ins[0].copy()


@op()
def sorts_its_input(ins, outs):
    ins[0][:, ::-1].sort(axis=1)
    outs[0][0] = ins[0].copy()


@op()
def writes_through_a_view_of_its_input(ins, outs):
    ins[0].T[0] = -1
    outs[0][0] = np.ones_like(ins[0])


# shared memory


@op()
def gives_its_input(ins, outs):
    outs[0][0] = ins[0]


@op()
def gives_a_slice(ins, outs):
    outs[0][0] = ins[0][:1]


@op()
def gives_the_transpose(ins, outs):
    outs[0][0] = ins[0].T


@op(view_map={0: [1]})
def declares_the_other_input_as_viewed(ins, outs):
    outs[0][0] = ins[0].reshape(ins[0].shape)


@op(n_out=2)
def gives_two_parts_of_one_array(ins, outs):
    both = ins[0] * 2
    outs[0][0], outs[1][0] = both[:1], both


# results that differ


@op()
def draws_from_the_global_generator(ins, outs):
    outs[0][0] = ins[0] + np.random.uniform()


_calls = []


@op()
def counts_its_calls(ins, outs):
    _calls.append(1)
    outs[0][0] = ins[0] * len(_calls)


@op()
def accumulates_into_what_it_finds(ins, outs):
    found = outs[0][0]
    if found is None or found.shape != ins[0].shape:
        found = outs[0][0] = np.zeros_like(ins[0])
    found += ins[0]


@op()
def takes_memory_for_c_contiguous(ins, outs):
    if outs[0][0] is None or outs[0][0].shape != ins[0].shape:
        outs[0][0] = np.empty_like(ins[0], order="C")
    outs[0][0].reshape(-1)[...] = ins[0].reshape(-1) * 2  # a copy of it, in Fortran's order


@op()
def takes_memory_for_contiguous(ins, outs):
    if outs[0][0] is None or outs[0][0].shape != ins[0].shape:
        outs[0][0] = np.empty_like(ins[0])
    order = "C" if outs[0][0].flags.c_contiguous else "F"
    outs[0][0].ravel(order="K")[...] = (ins[0] * 2).ravel(order=order)


@op()
def takes_memory_of_any_size(ins, outs):
    if outs[0][0] is None:
        outs[0][0] = np.empty_like(ins[0])
    rows, columns = ins[0].shape
    if outs[0][0].shape[0] >= rows and outs[0][0].shape[1] >= columns:
        outs[0][0][:rows, :columns] = ins[0]
    else:
        outs[0][0] = ins[0].copy()


# values that do not fit


@op(outputs=[T.dscalar])
def gives_a_complex_number(ins, outs):
    outs[0][0] = np.asarray(1j)


@op()
def gives_a_vector(ins, outs):
    outs[0][0] = ins[0].sum(axis=0)


@op()
def gives_single_precision(ins, outs):
    outs[0][0] = ins[0].astype("float32")


@op()
def gives_a_list(ins, outs):
    outs[0][0] = ins[0].tolist()


@op()
def leaves_its_output_empty(ins, outs):
    pass


@op(outputs=[T.drow])
def gives_two_rows_for_one(ins, outs):
    outs[0][0] = ins[0] + 1


@op()
def divides_by_zero(ins, outs):
    outs[0][0] = ins[0] / 0


@op()
def takes_the_root_of_negative_numbers(ins, outs):
    outs[0][0] = np.sqrt(-ins[0])


class Defect(NamedTuple):
    planted: tuple[Callable, dict]
    error: type
    found: str  # in the text
    options: dict = {}


OPS = {
    planted[0].__name__: Defect(planted, *rest)
    for planted, *rest in [
        (sets_its_input, BadDestroyMap, "changes input 0"),
        (adds_into_its_second_input, BadDestroyMap, "changes input 1"),
        (declares_the_other_input_as_destroyed, BadDestroyMap, "changes input 0"),
        (sorts_its_input, BadDestroyMap, "changes input 0"),
        (writes_through_a_view_of_its_input, BadDestroyMap, "changes input 0"),
        (gives_its_input, BadViewMap, "shares memory with input 0"),
        (gives_a_slice, BadViewMap, "shares memory with input 0"),
        (gives_the_transpose, BadViewMap, "shares memory with input 0"),
        (declares_the_other_input_as_viewed, BadViewMap, "view_map: {0: [1]}"),
        (gives_two_parts_of_one_array, BadViewMap, "shares memory with output 1"),
        (draws_from_the_global_generator, BadThunkOutput, "called again"),
        (counts_its_calls, BadThunkOutput, "called again"),
        (
            accumulates_into_what_it_finds,
            BadThunkOutput,
            "with previous output memory",
            {"check_preallocated_output": ["previous"]},
        ),
        (
            takes_memory_for_c_contiguous,
            BadThunkOutput,
            "with f_contiguous output memory",
            {"check_preallocated_output": ["c_contiguous", "f_contiguous"]},
        ),
        (
            takes_memory_for_contiguous,
            BadThunkOutput,
            "with strided",
            {"check_preallocated_output": ["c_contiguous", "f_contiguous", "strided"]},
        ),
        (
            takes_memory_of_any_size,
            BadThunkOutput,
            "with wrong_size",
            {"check_preallocated_output": ["previous", "strided", "wrong_size"]},
        ),
        (gives_a_complex_number, InvalidValueError, "complex128"),
        (gives_a_vector, InvalidValueError, "Wrong number of dimensions"),
        (gives_single_precision, InvalidValueError, "float32"),
        (gives_a_list, InvalidValueError, "list"),
        (leaves_its_output_empty, InvalidValueError, "NoneType"),
        (gives_two_rows_for_one, InvalidValueError, "broadcastable dimension"),
        (divides_by_zero, InvalidValueError, "infinity"),
        (takes_the_root_of_negative_numbers, InvalidValueError, "NaN"),
    ]
}
