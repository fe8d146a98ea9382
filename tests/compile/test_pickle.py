"""Functions, graphs and variables by pickle: between processes, with what they share, by flags."""

import copy
import io
import pickle
import pickletools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile import pickled_functions
from theano._src.compile.files import archive
from theano._src.graph import flat_pickle
from theano.misc import pkl_utils
from theano.tensor.shared_randomstreams import RandomStreams

ROOT = Path(__file__).parents[2]


def globals_of(raw):
    """The names in a pickle of protocol 2, where each is one instruction."""
    return {arg for op, arg, _ in pickletools.genops(raw) if op.name == "GLOBAL"}


def test_functions_go_on_in_another_process_bit_for_bit(tmp_path):
    pickled_functions.write(tmp_path)
    command = [sys.executable, "-m", "tests.compile.pickled_functions", "read", str(tmp_path)]
    environ = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "5", "PATH": ""}
    done = subprocess.run(
        command, env=environ, cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.stdout == "the same\n", done.stderr


def test_pickles_of_functions_name_documented_modules_only():
    raw = pickle.dumps(pickled_functions.functions(), 2)
    assert not {name for name in globals_of(raw) if name.startswith("theano._src")}
    assert "theano.compile.function_module remade" in globals_of(raw)


def test_what_two_functions_share_they_share_after_loading():
    w = theano.shared(0.0, "w")
    f, g = theano.function([], w, updates=[(w, w + 1)]), theano.function([], w * 10)
    for again in (pickle.loads(pickle.dumps((f, g, w))), copy.deepcopy((f, g, w))):
        f2, g2, w2 = again
        f2()
        assert g2() == 10 and w2.get_value() == 1 and w.get_value() == 0
    alone = pickle.loads(pickle.dumps(f))
    alone()
    assert w.get_value() == 0


def test_a_copy_of_a_function_shares_and_a_deep_copy_does_not():
    w = theano.shared(0.0, "w")
    f = theano.function([], w, updates=[(w, w + 1)])
    copy.copy(f)()
    assert w.get_value() == 1
    copy.deepcopy(f)()
    assert w.get_value() == 1


def test_a_graph_and_its_variables_stay_one():
    x, w = T.dvector("x"), theano.shared(np.ones(2), "w")
    y = T.exp(x) * w
    x2, y2, w2 = pickle.loads(pickle.dumps((x, y, w)))
    assert y2.owner.inputs[1] is w2 and y2.owner.inputs[0].owner.inputs[0] is x2
    w2.set_value([3.0, 3.0])
    assert theano.function([x2], y2)([0.0, 0.0]).tolist() == [3.0, 3.0]
    assert w.get_value().tolist() == [1.0, 1.0]


def test_a_stream_goes_on_with_new_variables_too():
    rng = RandomStreams(5)
    f = theano.function([], rng.normal((2,)))
    f()
    rng2, f2 = pickle.loads(pickle.dumps((rng, f)))
    assert f().tolist() == f2().tolist()
    late, late2 = (theano.function([], r.uniform((2,))) for r in (rng, rng2))
    assert late().tolist() == late2().tolist()


def test_a_function_may_be_read_as_none():
    raw = pickle.dumps(theano.function([], T.constant(1.0)))
    with theano.config.change_flags(unpickle_function=False):
        assert pickle.loads(raw) is None
    assert pickle.loads(raw)() == 1.0


def test_test_values_may_stay_out_of_pickles():
    x = T.dscalar("x")
    x.tag.test_value, x.tag.unit = 3.0, "m"
    with theano.config.change_flags(pickle_test_value=False):
        again = pickle.loads(pickle.dumps(x))
    assert again.tag.unit == "m" and not hasattr(again.tag, "test_value")
    assert x.tag.test_value == 3.0
    assert pickle.loads(pickle.dumps(x)).tag.test_value == 3.0


@pytest.fixture
def trained():
    x, w = T.dvector("x"), theano.shared(np.ones(2), "w")
    f = theano.function([x], T.exp(x) * 2 + w, updates=[(w, w - 0.5 * x)], name="trained")
    f.trust_input = True
    return f, w


def applications(f):
    return [str(node.op) for node in f.maker.fgraph.toposort()]


def test_a_function_is_rewritten_again_unless_flags_say_otherwise(trained, monkeypatch):
    f, _ = trained
    rewritings = []
    maker = type(f.maker)
    make_graph = maker.make_graph

    def counted(self, rewrites):
        rewritings.append(1)
        return make_graph(self, rewrites)

    monkeypatch.setattr(maker, "make_graph", counted)
    again = pickle.loads(pickle.dumps(f))
    assert len(rewritings) == 1 and applications(again) == applications(f)
    with theano.config.change_flags(reoptimize_unpickled_function=False):
        raw = pickle.dumps(f)
        kept = pickle.loads(raw)
        plain = pickle.loads(pickle.dumps(again))
    assert len(rewritings) == 1
    assert applications(kept) == applications(f) == applications(plain)
    pickle.loads(raw)  # the flag is set no more
    assert len(rewritings) == 2
    x = np.array([1.0, 2.0])
    expected = [f(x).tolist(), f(x).tolist()]
    assert [kept(x).tolist(), kept(x).tolist()] == expected
    assert kept.name == "trained" and kept.trust_input


def test_without_rewriting_all_kinds_of_functions_give_the_same():
    found = pickled_functions.functions()
    with theano.config.change_flags(reoptimize_unpickled_function=False):
        again = pickle.loads(pickle.dumps(found))
    assert pickled_functions.called(again) == pickled_functions.called(found)


# deep graphs


def chain(n):
    x = T.dvector("x")
    y = x
    for k in range(n):
        y = y * 0.5 + k
    return x, y


def test_graphs_are_pickled_and_copied_however_deep_they_are():
    x, y = chain(250)
    for x2, y2 in (pickle.loads(pickle.dumps((x, y))), copy.deepcopy((x, y))):
        assert len(theano.gof.graph.io_toposort([x2], [y2])) == 1000
        assert theano.gof.graph.inputs([y2])[0] is x2 is not x
    assert pickle.loads(pickle.dumps(y.owner)).outputs[0].owner.op == y.owner.op
    shallow = copy.copy(y)
    assert shallow is not y and shallow.owner is y.owner


def test_a_function_of_a_deep_graph_is_pickled():
    x, y = chain(60)
    w = theano.shared(np.ones(2), "w")
    f = theano.function([x], y, updates=[(w, T.grad(y.sum(), x) + w)])
    f2 = pickle.loads(pickle.dumps(f))
    assert f2([1.0, 2.0]).tolist() == f([1.0, 2.0]).tolist()


def test_graphs_of_many_outputs_are_pickled_once():
    def each(n):
        _, y = chain(n)
        several = [y, *[y + k for k in range(30)]]
        return (len(pickle.dumps(several, -1)) - len(pickle.dumps(several[:1], -1))) / 30

    # numbers of what was pickled before are some bytes longer
    assert each(100) < each(5) + 30


def test_several_picklers_take_one_graph():
    _, y = chain(60)
    files = [io.BytesIO(), io.BytesIO()]
    picklers = [pickle.Pickler(file, -1) for file in files]
    for pickler in picklers * 2:
        pickler.dump(y)  # the second time all is remembered
    for file in files:
        raw = file.getvalue()
        unpickler = pickle.Unpickler(io.BytesIO(raw))
        first = unpickler.load()
        assert unpickler.load() is first
        assert len(theano.gof.graph.io_toposort([], [first])) == 240


def test_a_pickler_that_fails_leaves_nothing_behind():
    x, y = chain(60)
    x.tag.odd = lambda: None
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(y)
    del x.tag.odd
    assert theano.gof.graph.inputs([pickle.loads(pickle.dumps(y))])[0].name == "x"
    assert flat_pickle._known.batches == {}


# reports


def test_a_report_of_a_function_compiles_elsewhere(tmp_path):
    path = tmp_path / "report.pkl"
    x, w = T.dvector("x"), theano.shared(np.ones(2), "w")
    x.tag.test_value, x.tag.secret, x.tag.unit = np.ones(2), 1, "m"
    theano.function_dump(
        str(path), [x], (x * w).sum(), updates=[(w, w + x)], extra_tag_to_remove=["secret"]
    )
    arguments = pickle.loads(path.read_bytes())
    assert vars(arguments["inputs"][0].tag) == {"unit": "m"}
    assert str(ROOT) not in path.read_bytes().decode("latin1")
    f = theano.function(**arguments)
    assert f([1.0, 2.0]) == 3.0 and f([1.0, 2.0]) == 8.0
    assert w.get_value().tolist() == [1.0, 1.0] and x.tag.secret == 1


# names that moved


def with_name(raw, name, other):
    assert name in raw
    return raw.replace(name, other)


@pytest.fixture
def renamed():
    raw = pickle.dumps(theano.shared(1.5, "w"), 2)
    return with_name(raw, b"theano.compile.sharedvalue\nCell", b"theano._src.gone\nCage")


def test_a_name_that_is_gone_is_told_with_what_to_do(renamed):
    with pytest.raises(pickle.UnpicklingError, match=r"names theano\._src\.gone\.Cage.*checkpoint"):
        pkl_utils.CompatUnpickler(io.BytesIO(renamed)).load()
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        pkl_utils.CompatUnpickler(io.BytesIO(b"cnowhere_to_be_found\nx\n.")).load()


def test_a_name_that_moved_is_found(renamed, monkeypatch):
    monkeypatch.setitem(archive.MOVED, "theano._src.gone:Cage", "theano.compile.sharedvalue:Cell")
    assert pkl_utils.CompatUnpickler(io.BytesIO(renamed)).load().get_value() == 1.5


@pytest.mark.parametrize(
    ("mode", "module"),
    [
        ("DebugMode", b"theano._src.compile.debugmode.mode"),
        (theano.Mode("numpy"), b"theano._src.engines.numpy_engine"),
        (theano.Mode("cvm"), b"theano._src.engines.choice"),
    ],
    ids=["DebugMode", "numpy", "cvm"],
)
def test_functions_and_linkers_of_0_1_0_are_found_where_they_moved(mode, module):
    x = T.dvector("x")
    f = theano.function([x], x * 2, mode=mode)
    raw = pickle.dumps((f, f.maker.mode.linker), 2)
    for old, new in archive.MOVED.items():
        raw = raw.replace(*("c{}\n{}\n".format(*n.split(":")).encode() for n in (new, old)))
    assert module + b"\n" in raw
    again, _ = pkl_utils.CompatUnpickler(io.BytesIO(raw)).load()
    assert again([1.0, 2.0]).tolist() == [2.0, 4.0]
