"""MonitorMode: functions around each node, on every linker."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile import MonitorMode
from theano.compile.monitormode import detect_nan

LINKERS = ["py", "cvm", "numpy", "xla"]


@pytest.mark.parametrize("linker", LINKERS)
def test_both_functions_see_each_node_with_its_values(linker):
    seen = []

    def before(i, node, fn):
        seen.append(("before", i, node.op, [cell[0].item() for cell in fn.inputs]))

    def after(i, node, fn):
        seen.append(("after", i, node.op, [cell[0].item() for cell in fn.outputs]))

    x = T.dscalar("x")
    mode = MonitorMode(before, after, linker=linker).excluding("fusion", "inplace")
    f = theano.function([x], T.sqr(x) + x, mode=mode)
    assert f(3) == 12
    assert seen == [
        ("before", 0, T.sqr, [3.0]),
        ("after", 0, T.sqr, [9.0]),
        ("before", 1, T.add, [9.0, 3.0]),
        ("after", 1, T.add, [12.0]),
    ]


@pytest.mark.parametrize("linker", LINKERS)
def test_what_a_function_puts_into_a_cell_is_used(linker):
    def ten_times(i, node, fn):
        if node.op == T.exp:
            fn.outputs[0][0] = fn.outputs[0][0] * 10

    x = T.dvector("x")
    mode = MonitorMode(post_func=ten_times, linker=linker).excluding("fusion", "inplace")
    assert theano.function([x], T.exp(x) + 1, mode=mode)([0.0]).tolist() == [11.0]


def test_an_exception_of_a_function_names_the_node():
    class Stop(Exception):
        pass

    def stop(i, node, fn):
        raise Stop("enough")

    x = T.dvector("x")
    f = theano.function([x], T.exp(x), mode=MonitorMode(stop))
    with pytest.raises(Stop, match=r"(?s)enough.*Apply node that caused the error"):
        f([1.0])


def test_detect_nan_prints_the_node_and_its_values(capsys):
    x = T.dvector("x")
    f = theano.function([x], T.log(x) * 2 + 1, mode=MonitorMode(post_func=detect_nan))
    assert f([1.0]).tolist() == [1.0] and not capsys.readouterr().out
    assert np.isnan(f([-1.0])[0])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "*** NaN detected ***"
    assert "log(" in lines[1]
    assert lines[-1] == "Outputs: [array([nan])]" and lines[-2].startswith("Inputs : [array(")


def test_detect_nan_passes_over_what_is_no_array_of_floats(capsys):
    x = T.lvector("x")
    streams = theano.tensor.shared_randomstreams.RandomStreams(3)
    f = theano.function([x], [x * 2, streams.uniform()], mode=MonitorMode(post_func=detect_nan))
    f([1])
    assert not capsys.readouterr().out


def test_the_documented_line_of_a_step_through_a_function(capsys):
    def inputs(i, node, fn):
        print(i, node, "input(s) value(s):", [cell[0].item() for cell in fn.inputs], end=" ")

    def outputs(i, node, fn):
        print("output(s) value(s):", [cell[0].item() for cell in fn.outputs])

    x = T.dscalar("x")
    f = theano.function([x], [5 * x], mode=MonitorMode(pre_func=inputs, post_func=outputs))
    f(3)
    assert capsys.readouterr().out == (
        "0 Elemwise{mul,no_inplace}(TensorConstant{5.0}, x) "
        "input(s) value(s): [5.0, 3.0] output(s) value(s): [15.0]\n"
    )


def test_modes_made_from_it_keep_its_functions():
    mode = MonitorMode(post_func=detect_nan)
    for made in (mode.including("fusion"), mode.excluding("inplace"), mode.clone()):
        assert isinstance(made, MonitorMode) and made.post_func is detect_nan
    again = pickle.loads(pickle.dumps(mode))
    assert isinstance(again, MonitorMode) and again.post_func is detect_nan
    assert mode.clone(link_kwargs={"allow_gc": False}).linker.allow_gc is False


def test_flags_that_drop_rewrites_do_not_act_on_it():
    x = T.dvector("x")
    f = theano.function([x], T.log(x) * x, mode=MonitorMode(optimizer="fast_run"))
    assert len(f.maker.fgraph.apply_nodes) == 1
    g = theano.function([x], T.log(x) * x, mode=MonitorMode(optimizer=None))
    assert len(g.maker.fgraph.apply_nodes) == 2


def test_what_is_no_function_or_linker_is_refused():
    with pytest.raises(TypeError, match=r"a function of \(i, node, fn\) as post_func"):
        MonitorMode(post_func=3)
    with pytest.raises(ValueError, match="as linker, got 'abacus'"):
        MonitorMode(linker="abacus")
    linker = theano.gof.WrapLinker([theano.gof.PerformLinker()], print)
    with pytest.raises(TypeError, match="wraps a linker"):
        MonitorMode(linker=linker)


def test_a_mode_that_a_program_names_is_found_by_the_flag():
    theano.compile.register_mode("WATCHED", MonitorMode(post_func=detect_nan))
    try:
        x = T.dvector("x")
        assert isinstance(theano.function([x], x + 1, mode="WATCHED").maker.mode, MonitorMode)
        with theano.config.change_flags(mode="WATCHED"):
            assert isinstance(theano.function([x], x + 1).maker.mode, MonitorMode)
        with pytest.raises(ValueError, match="already taken"):
            theano.compile.register_mode("WATCHED", MonitorMode())
    finally:
        del theano.compile.predefined_modes["WATCHED"]
    with pytest.raises(ValueError, match="one of"):
        theano.config.mode = "WATCHED"
    with pytest.raises(ValueError, match="already taken"):
        theano.compile.register_mode("DebugMode", MonitorMode())


def test_a_breakpoint_opens_the_debugger_where_its_condition_holds(monkeypatch, capsys):
    import pdb

    from theano.tests.breakpoint import PdbBreakpoint

    opened = []
    monkeypatch.setattr(pdb, "set_trace", lambda: opened.append(1))
    x, y = T.dvector("x"), T.dscalar("y")
    a, b = PdbBreakpoint("the sum is large")(T.gt(x.sum(), 10), x, y)
    f = theano.function([x, y], [a * 2, b, T.grad(a.sum() + b, x)])
    two, same, slope = f([1.0, 2.0], 3)
    assert (two.tolist(), same.item(), slope.tolist()) == ([2.0, 4.0], 3.0, [1.0, 1.0])
    assert not opened
    f([10.0, 2.0], 3)
    assert opened == [1] and "PdbBreakpoint: the sum is large" in capsys.readouterr().out
    with pytest.raises(TypeError, match="a scalar as condition"):
        PdbBreakpoint("x")(x > 1, x)
    with pytest.raises(TypeError, match="variables to monitor"):
        PdbBreakpoint("x")(y > 1)
