"""Loops as printing tools show them."""

from __future__ import annotations

import io

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.test_scan import h0, k, n, v
from theano.printing import debugprint, explain
from theano.scan_module import until


def step(u, h, k):
    return T.tanh(u + h * k)


def loop(**options):
    return theano.scan(step, sequences=v, outputs_info=h0, non_sequences=k, **options)[0]


def test_a_loop_is_shown_with_its_step_below():
    assert (
        debugprint(loop(), file="str")
        == """\
for{cpu,scan_fn} [@A] ''
 |Subtensor{int64} [@B] ''
 | |Shape [@C] ''
 | | |v [@D]
 | |TensorConstant{0} [@E]
 |v [@D]
 |h0 [@F]
 |k [@G]

Inner graphs of the scan ops:

for{cpu,scan_fn} [@A] ''
 >Elemwise{tanh,no_inplace} [@H] ''
 > |Elemwise{add,no_inplace} [@I] ''
 >   |v[t] [@J] -> [@D]
 >   |Elemwise{mul,no_inplace} [@K] ''
 >     |h0[t-1] [@L] -> [@F]
 >     |k [@M] -> [@G]
"""
    )


def test_a_loop_with_an_end_and_a_name_says_so():
    out, _ = theano.scan(lambda h: (h * 2, until(h > 9)), outputs_info=h0, n_steps=n, name="powers")
    text = debugprint(out, file="str")
    assert text.splitlines()[1] == " |do_while{cpu,powers}.0 [@B] ''"
    assert " >Elemwise{gt,no_inplace} [@" in text
    assert str(loop(name="rnn").owner.op) == "for{cpu,rnn}"


def test_the_step_of_a_gradient_names_what_it_reads():
    text = debugprint(theano.grad(loop().sum(), k), file="str")
    assert text.startswith("for{cpu,grad_of_scan_fn}")
    for name in ("g_h0[t]", "gs_h0[t]", "h0[t]", "h0[t-1]", "g_k", "k"):
        assert f"|{name} [@" in text


def test_loops_in_loops_are_shown_too():
    def outer(h):
        return theano.scan(lambda g: g * 2, outputs_info=h, n_steps=3, name="inner")[0][-1]

    out, _ = theano.scan(outer, outputs_info=h0, n_steps=n, name="outer")
    text = debugprint(out, file="str")
    assert text.index("\nfor{cpu,outer} [@") < text.index("\nfor{cpu,inner} [@")


def test_a_compiled_function_shows_what_was_made_of_the_step():
    f = theano.function([v, h0, k], loop(), mode=theano.Mode("numpy"))
    assert "Composite{tanh((i0 + (i1 * i2)))}" in debugprint(f, file="str")


def test_a_loop_in_one_line_is_a_call():
    assert theano.pp(loop()) == "for{cpu,scan_fn}(Shape(v)[0], v, h0, k)"
    assert theano.printing.min_informative_str(loop()).startswith("A. for{cpu,scan_fn}")


def test_steps_see_names_of_the_places_they_read():
    seen = []

    def names(*args):
        seen.extend(a.name for a in args)
        return args[0]

    x = T.dvector()
    theano.scan(
        names,
        sequences=[{"input": v, "taps": [-1, 0, 2]}, x],
        outputs_info={"initial": v, "taps": [-3]},
        n_steps=np.int64(4),
    )
    assert seen == ["v[t-1]", "v[t]", "v[t+2]", None, "v[t-3]"]


@pytest.mark.xla
def test_explain_says_what_keeps_a_loop_on_the_host():
    sizes = T.lvector("sizes")
    ranges, _ = theano.scan(lambda i: T.arange(i).sum(), sizes)
    shown, _ = theano.scan(lambda a: theano.printing.Print("a")(a), v)

    def outer(a):
        return theano.scan(lambda b: theano.printing.Print("b")(b), outputs_info=a, n_steps=2)[0]

    inside, _ = theano.scan(outer, v)
    plain = loop()
    told = {}
    for name, out in {"range": ranges, "print": shown, "inside": inside, "none": plain}.items():
        ins = [i for i in (sizes, v, h0, k) if i in theano.gof.graph.inputs([out])]
        text = io.StringIO()
        explain(theano.function(ins, out, mode=theano.Mode("xla")), file=text)
        told[name] = [r for r in text.getvalue().splitlines() if r.startswith("  on host")]
    what = "  on host  for{cpu,scan_fn}: "
    assert told["range"] == [
        f"{what}a size of ARange{{dtype='int64'}}(TensorConstant{{0}}, sizes[t], "
        "TensorConstant{1}) depends on values of the step"
    ]
    assert [r.startswith(f"{what}Print{{") for r in told["print"] + told["inside"]] == [True, True]
    assert told["none"] == []
