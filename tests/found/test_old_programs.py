"""What real packages written for Theano do, each found by running one of them here."""

import pathlib
import re
import tomllib

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ground.config import TheanoConfigParser

# flags


def the_record_of(flag):
    return next(p for p in theano.configparser._config_var_list if p.fullname == flag)


def test_the_record_of_a_flag_reads_and_sets_it_as_a_descriptor():
    record = the_record_of("floatX")
    with theano.config.change_flags(floatX="float64"):
        assert record.__get__(True, None) == "float64"
        record.__set__(None, "float32")
        assert theano.config.floatX == record.__get__(True, None) == "float32"
        with pytest.raises(ValueError, match="floatX takes one of"):
            record.__set__(None, "float31")
    assert record.__get__(None, type(theano.config)) is record


def test_the_record_of_a_computed_flag_reads_it_too():
    record = the_record_of("compiledir")
    assert record.__get__(True, None) == theano.config.compiledir
    with pytest.raises(AttributeError, match="takes its value when theano is imported"):
        record.__set__(None, "elsewhere")


def test_a_record_without_a_config_object_says_so():
    record = theano.configparser.IntParam(3)
    with pytest.raises(AttributeError, match="AddConfigVar"):
        record.__get__(True, None)
    mine = TheanoConfigParser({})
    theano.configparser.AddConfigVar("mine", "A number.", record, root=mine)
    record.__set__(None, "4")
    assert mine.mine == record.__get__(True, None) == 4


def test_flags_that_are_given_back_twice_are_those_of_before():
    before = theano.config.compute_test_value
    change = theano.config.change_flags(compute_test_value="ignore")
    change.__enter__()
    change.__exit__()
    change.__exit__()
    assert theano.config.compute_test_value == before
    with change:
        assert theano.config.compute_test_value == "ignore"
        with change:
            pass
        assert theano.config.compute_test_value == "ignore"
    assert theano.config.compute_test_value == before


def test_flags_that_were_never_taken_are_not_given_back():
    change = theano.config.change_flags(compute_test_value="ignore")
    with pytest.raises(RuntimeError, match="before __enter__"):
        change.__exit__()


# versions


def test_the_version_is_that_of_the_language_with_a_label_of_ours():
    # pymc3 parses it as semver; others compare numbers, or texts
    number, plus, label = theano.__version__.partition("+")
    assert plus and re.fullmatch(r"\d+\.\d+\.\d+", number)
    assert re.fullmatch(r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*", label)
    assert theano.__version__ > "0.9" and tuple(map(int, number.split("."))) >= (1, 0, 5)
    assert theano.version.version == theano.version.full_version == theano.__version__
    assert theano.version.short_version == number


def test_the_label_of_the_version_is_the_release_that_is_packaged():
    project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
    assert theano.__version__.endswith(f"+xla.{project['version']}")


# names


def test_the_package_holds_its_own_name():
    from theano import theano as itself

    assert itself is theano


def test_tensor_is_another_name_of_the_type():
    assert T.Tensor is T.TensorType


def test_the_op_of_join_has_a_name():
    x = T.dvector("x")
    assert T.join_ == T.join(0, x, x).owner.op
    assert T.join_(0, x, x).eval({x: [1.0, 2.0]}).tolist() == [1, 2, 1, 2]


def test_a_float_of_no_complex_numbers():
    ts = theano.scalar
    assert ts.upgrade_to_float_no_complex(ts.int8) == (ts.float32,)
    assert ts.upgrade_to_float_no_complex(ts.float32, ts.int64) == (ts.float64,)
    with pytest.raises(TypeError, match="complex argument not supported"):
        ts.upgrade_to_float_no_complex(ts.float32, ts.complex64)


def test_the_name_that_pymc3_compares_with_that_of_pydot_is_there():
    assert hasattr(theano.printing, "Node")


def test_programs_ask_whether_a_variable_is_sparse():
    import theano.sparse as sparse

    x = T.dmatrix("x")
    assert not isinstance(x.type, sparse.SparseType)
    assert not isinstance(x.type, sparse.type.SparseType)
    assert not isinstance(x, sparse.basic.SparseVariable)
    assert not sparse.enable_sparse


@pytest.mark.parametrize(
    "use",
    [
        lambda sparse: sparse.csr_matrix("x"),
        lambda sparse: sparse.basic.as_sparse(np.eye(2)),
        lambda sparse: sparse.SparseType("csr", "float64"),
        lambda sparse: sparse.SparseVariable(None),
    ],
)
def test_every_use_of_sparse_matrices_says_that_they_are_not_built(use):
    import theano.sparse as sparse

    with pytest.raises((AttributeError, NotImplementedError), match="not built yet; use dense"):
        use(sparse)
