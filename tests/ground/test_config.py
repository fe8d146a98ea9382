"""Flags: where their values come from, what they refuse, and how they are changed for a while."""

import copy
import os
import pickle
import subprocess
import sys
import timeit
from operator import attrgetter

import pytest

from theano import configparser
from theano._src.ground.config import (
    AddConfigVar,
    TheanoConfigParser,
    TheanoConfigWarning,
    change_flags,
    config,
    config_files_from_theanorc,
    parse_config_string,
)
from theano._src.ground.flags import FLAGS
from theano._src.ground.params import (
    BoolParam,
    ConfigParam,
    EnumStr,
    FloatParam,
    IntParam,
    StrParam,
)


def fresh(flags="", *files):
    """A config of its own, as a process with these flags and files would have."""
    paths = os.pathsep.join(map(str, files)) or os.devnull
    return TheanoConfigParser({"THEANO_FLAGS": flags, "THEANORC": paths})


@pytest.fixture
def rc(tmp_path):
    def write(text, name="theanorc"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


# where values come from


def test_every_default_is_a_value_its_own_flag_accepts():
    fresh_config = fresh()
    for name, param, doc in FLAGS:
        value = fresh_config._read(name)
        assert param.parse(value) == value, name
        assert doc and doc.endswith("."), name


def test_a_flag_set_to_its_own_text_keeps_its_value():
    plain = fresh()
    for name, _param, _doc in FLAGS:
        value = plain._read(name)
        if "," not in str(value):
            assert fresh(f"{name}={value}")._read(name) == value, name


def test_theano_flags_win_over_files_and_later_files_over_earlier_ones(rc):
    one = rc(
        "[global]\nfloatX = float32\ncast_policy = numpy+floatX\n[compile]\nwait = 11\n", "one"
    )
    two = rc("[global]\ncast_policy = custom\nallow_gc = False\n", "two")

    def told(c):
        return c.floatX, c.cast_policy, c.compile.wait, c.allow_gc

    assert told(fresh()) == ("float64", "custom", 5, True)
    assert told(fresh("", one)) == ("float32", "numpy+floatX", 11, True)
    assert told(fresh("", one, two)) == ("float32", "custom", 11, False)
    assert told(fresh("", two, one)) == ("float32", "numpy+floatX", 11, False)
    assert told(fresh("floatX=float64,compile.wait=7", one)) == ("float64", "numpy+floatX", 7, True)


def test_an_assignment_wins_over_theano_flags():
    c = fresh("floatX=float32")
    c.floatX = "float64"
    assert c.floatX == "float64"


def test_of_a_flag_given_twice_the_right_most_counts():
    assert fresh("floatX=float64,floatX=float32").floatX == "float32"


def test_theano_flags_may_hold_empty_values_equal_signs_spaces_and_quoted_commas():
    c = fresh(" blas.ldflags= , nvcc.flags=-ftz=true --prec-div=false,gcc.cxxflags='-Wa,-x' ,")
    assert c.blas.ldflags == ""
    assert c.nvcc.flags == "-ftz=true --prec-div=false"
    assert c.gcc.cxxflags == "-Wa,-x"


def test_a_backslash_and_a_number_sign_stay_in_a_quoted_value():
    assert parse_config_string(r'base_compiledir="C:\a #1"') == {"base_compiledir": r"C:\a #1"}


def test_a_name_without_a_value_is_left_out_with_a_warning():
    with pytest.warns(TheanoConfigWarning, match="'mac_framework_link', which is left out"):
        assert parse_config_string("mac_framework_link,floatX=float32") == {"floatX": "float32"}


def test_an_open_quote_is_an_error():
    with pytest.raises(ValueError, match="open quote"):
        fresh("gcc.cxxflags='-O3")


def test_files_may_have_comments_after_values_any_case_and_percent_signs(rc):
    path = rc(
        "\ufeff[global]\nfloatx = float32  # single\ncompiledir_format = x_%(hostname)s\n"
        "[dnn.conv]\nalgo_fwd = fft\n[blas]\nldflags =\n"
    )
    c = fresh("", path)
    assert c.floatX == "float32"
    assert c.compiledir_format == "x_%(hostname)s"
    assert c.dnn.conv.algo_fwd == "fft"
    assert c.blas.ldflags == ""


def test_files_may_name_the_user_and_the_process(rc):
    path = rc("[global]\nbase_compiledir = /scratch/%(USER)s/%(PID)s\n")
    c = TheanoConfigParser({"THEANORC": str(path), "USER": "ada"})
    assert c.base_compiledir == f"/scratch/ada/{os.getpid()}"


def test_a_missing_file_warns(tmp_path):
    """U4: a THEANORC file that is missing was silent."""
    with pytest.warns(TheanoConfigWarning, match=r"THEANORC names .*none, and there is no such fi"):
        assert fresh("", tmp_path / "none").floatX == "float64"


def test_of_several_files_some_may_be_missing(rc, tmp_path):
    paths = os.pathsep.join(map(str, [tmp_path / "none", rc("[global]\nfloatX = float32\n")]))
    assert fresh("", paths).floatX == "float32"
    assert fresh("", os.devnull).floatX == "float64"


@pytest.mark.parametrize(
    ("section", "meant"),
    [("globl", "global"), ("Global", "global"), ("theano", "global"), ("nvc", "nvcc")],
)
def test_a_misspelt_section_is_told_the_right_one_once(rc, section, meant):
    """U4: `[globl]` in .theanorc was silent."""
    name = "floatX" if meant == "global" else "falgs"
    text = f"[{section}]\n{name} = float32\nfastmath = 1\n"
    with pytest.warns(TheanoConfigWarning) as caught:
        fresh("", rc(text))
    (warning,) = caught
    assert f"has a section [{section}], which has no flags; did you mean [{meant}]?" in str(
        warning.message
    )


def test_a_file_without_sections_is_an_error_that_says_what_to_write(rc):
    with pytest.raises(ValueError, match=r"undotted flags belong under \[global\]"):
        fresh("", rc("floatX = float32\n"))


def test_theanorc_defaults_to_a_file_in_the_home_folder():
    assert config_files_from_theanorc({})[0] == os.path.expanduser("~/.theanorc")


def test_flags_of_old_back_ends_are_read():
    given = {
        "device": "cuda1",
        "nvcc.fastmath": "True",
        "lib.cnmem": "0.8",
        "gpuarray.preallocate": "0.9",
        "dnn.enabled": "False",
        "cuda.root": "/opt/cuda",
        "dnn.conv.workmem": "none",
    }
    read = fresh(",".join(f"{name}={value}" for name, value in given.items()))
    assert {name: str(attrgetter(name)(read)) for name in given} == given
    assert fresh("device=gpu0").device == "gpu0"


# what is refused


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("floatX", "float31", "floatX takes one of 'float64', 'float32', 'float16', got 'float31'"),
        ("profile", "maybe", "profile takes True or False, got 'maybe'"),
        ("compile.wait", "soon", "compile.wait takes a positive integer, got 'soon'"),
        ("compile.wait", 0, "compile.wait takes a positive integer, got 0"),
        ("compile.wait", 2.5, "compile.wait takes a positive integer, got 2.5"),
        ("gpuarray.preallocate", "much", "gpuarray.preallocate takes a number, got 'much'"),
        ("mode", "SLOW", "mode takes a mode object or one of 'Mode', 'FAST_RUN'"),
        (
            "DebugMode.check_preallocated_output",
            "initial:big",
            "takes a ':'-separated list of 'ALL'",
        ),
        ("traceback.limit", None, "traceback.limit takes an integer, got None"),
    ],
)
def test_a_bad_value_names_the_flag_what_it_takes_and_what_it_got(name, value, text):
    c = fresh()
    before = c._read(name)
    with pytest.raises(ValueError) as caught:
        setattr(c, name, value)
    assert text in str(caught.value)
    assert "(assigned)" in str(caught.value)
    assert c._read(name) == before


def test_a_bad_value_from_outside_names_where_it_came_from(rc):
    with pytest.raises(ValueError, match=r"got 'float31' \(THEANO_FLAGS\)"):
        fresh("floatX=float31")
    path = rc("[compile]\nwait = soon\n")
    with pytest.raises(ValueError) as caught:
        fresh("", path)
    assert f"got 'soon' ({path})" in str(caught.value)


@pytest.mark.parametrize("given", ["GPU0", "tpuX", "gpu-1", "", "cpu-1"])
def test_a_device_that_is_none_is_refused(given):
    with pytest.raises(ValueError, match="device takes 'cpu', 'cpuN', 'tpu'"):
        fresh(f"device={given}")


@pytest.mark.parametrize(
    "name",
    "device force_device init_gpu_device base_compiledir compiledir_format compiledir "
    "optimizer_including optimizer_excluding optimizer_requiring warn.ignore_bug_before "
    "numpy.seterr_all numpy.seterr_divide numpy.seterr_over numpy.seterr_under "
    "numpy.seterr_invalid".split(),
)
def test_a_flag_documented_as_fixed_is_not_assigned(name):
    c = fresh()
    other = {"force_device": True, "warn.ignore_bug_before": "0.7", "device": "cuda"}
    value = other.get(name, "raise" if "seterr" in name else "other")
    value = "gpu" if name == "init_gpu_device" else value
    before = c._read(name)
    with pytest.raises(AttributeError, match=f"THEANO_FLAGS={name}="):
        setattr(c, name, value)
    setattr(c, name, before)
    assert c._read(name) == before


def test_an_unknown_flag_is_refused_with_the_nearest_name():
    c = fresh()
    with pytest.raises(AttributeError, match="got 'floatx', which is none; did you mean 'floatX'"):
        c.floatx = "float32"
    with pytest.raises(AttributeError, match=r"did you mean 'profiling\.n_apply'"):
        print(c.profiling.n_aply)
    with pytest.raises(AttributeError, match="lists them"):
        print(c.zzz)
    assert not hasattr(c, "zzz") and not hasattr(c, "__array__")


def test_a_section_is_not_assigned():
    c = fresh()
    with pytest.raises(AttributeError):
        c.compile = 3
    assert c.compile.wait == 5


def test_an_unknown_flag_in_theano_flags_warns_and_names_the_nearest():
    with pytest.warns(
        TheanoConfigWarning, match="got 'floatx', which is none; did you mean 'floatX'"
    ):
        assert fresh("floatx=float32").floatX == "float64"


def test_an_unknown_flag_in_a_file_warns_only_when_it_looks_like_a_slip(rc):
    fresh("", rc("[mylab]\nqueue = long\n"))
    with pytest.warns(TheanoConfigWarning, match="sets 'compile.wate', which is not a flag"):
        fresh("", rc("[compile]\nwate = 3\n"))


# kinds of values


def test_booleans_are_read_from_words_and_numbers():
    param = BoolParam(False)
    assert [param.parse(v) for v in ("True", "true", "1", 1, True)] == [True] * 5
    assert [param.parse(v) for v in ("False", "FALSE", "0", 0, False)] == [False] * 5


def test_none_stands_for_the_word_where_it_is_one():
    c = fresh()
    c.optimizer = None
    assert c.optimizer == "None"
    with pytest.raises(ValueError):
        c.floatX = None


def test_lazy_is_true_false_or_none():
    assert fresh().vm.lazy is None
    assert fresh("vm.lazy=True").vm.lazy is True
    assert fresh("vm.lazy=None").vm.lazy is None


def test_an_object_with_a_linker_is_a_mode():
    class Mode:
        linker = "py"

    c = fresh()
    c.mode = mode = Mode()
    assert c.mode is mode


def test_paths_may_begin_with_the_home_sign():
    c = fresh("base_compiledir=~/programs")
    assert c.base_compiledir == os.path.join(os.path.expanduser("~"), "programs")


# computed values


def test_the_timeout_follows_the_wait_until_it_is_given():
    c = fresh()
    assert c.compile.timeout == 120
    c.compile.wait = 10
    assert c.compile.timeout == 240
    c.compile.timeout = 7
    c.compile.wait = 20
    assert c.compile.timeout == 7
    assert fresh("compile.timeout=9").compile.timeout == 9


def test_compiledir_is_made_of_its_base_and_format_and_no_folder_is_created(tmp_path):
    c = fresh(f"base_compiledir={tmp_path}/base,compiledir_format=c_%(python_bitwidth)s_%(device)s")
    assert c.compiledir == os.path.join(f"{tmp_path}/base", f"c_{sys.maxsize.bit_length() + 1}_cpu")
    assert os.listdir(tmp_path) == []


def test_every_key_that_the_format_documents_can_be_used():
    doc = {name: doc for name, _, doc in FLAGS}["compiledir_format"]
    keys = doc.partition("Names: ")[2].rstrip(".").split(", ")
    assert len(keys) == 11
    for key in keys:
        assert fresh(f"compiledir_format=a%({key})sb").compiledir.endswith("b")
    with pytest.raises(ValueError, match="compiledir_format takes"):
        fresh("compiledir_format=%(colour)s")


@pytest.mark.parametrize(("threads", "expected"), [("1", False), ("4", True)])
def test_openmp_follows_omp_num_threads(monkeypatch, threads, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert fresh().openmp is expected


def test_cuda_root_is_taken_from_the_environment(monkeypatch):
    monkeypatch.setenv("CUDA_ROOT", "/opt/cuda")
    assert fresh().cuda.root == "/opt/cuda"
    monkeypatch.delenv("CUDA_ROOT")
    assert fresh().cuda.root == "/usr/local/cuda"


# names


def test_dots_and_double_underscores_name_a_flag_in_a_section():
    c = fresh()
    c.gcc__cxxflags = "-O3"
    assert c.gcc.cxxflags == c.gcc__cxxflags == getattr(c, "gcc.cxxflags") == "-O3"


def test_dir_lists_flags_and_sections():
    assert {"floatX", "compiledir", "profiling", "change_flags"} <= set(dir(config))
    assert {"n_apply", "destination"} <= set(dir(config.profiling))
    assert "conv" in dir(config.dnn)


def test_printing_the_config_shows_every_flag_with_doc_and_value():
    c = fresh()
    c.compute_test_value = "ignore"
    blocks = str(c).split("\n\n")
    assert [b.split(" ")[0].strip() for b in blocks] == [name for name, _, _ in FLAGS]
    for block in blocks:
        head, doc, value, *rest = block.rstrip("\n").split("\n")
        assert not rest and not head.startswith(" ")
        assert doc.startswith("    Doc:  ") and value.startswith("    Value:  ")
    block = next(b for b in blocks if b.startswith("compute_test_value "))
    assert "Value:  ignore" in block


def test_printing_the_config_does_not_fix_computed_values():
    c = fresh()
    str(c)
    c.compile.wait = 2
    assert c.compile.timeout == 48


def test_the_config_is_one_object_even_when_copied_or_pickled():
    assert copy.deepcopy(config) is config
    assert pickle.loads(pickle.dumps(config)) is config
    assert configparser.config is config


# flags of one's own


def test_a_flag_of_ones_own_is_read_from_outside_like_any_other(rc):
    with pytest.warns(TheanoConfigWarning, match="unless a library declares it later"):
        c = fresh("mylab.workers=8", rc("[mylab]\nqueue = long\n[mylab.deep]\nrate = 0.5\n"))
    AddConfigVar("mylab.workers", "How many.", IntParam(4), root=c)
    AddConfigVar("mylab.queue", "Which.", EnumStr("short", "long"), root=c, in_c_key=False)
    AddConfigVar("mylab.deep.rate", "How fast.", FloatParam(1.0), root=c)
    AddConfigVar("mine", "Mine.", StrParam("a", is_valid=str.islower), root=c)
    assert (c.mylab.workers, c.mylab.queue, c.mylab.deep.rate, c.mine) == (8, "long", 0.5, "a")
    with pytest.raises(ValueError, match="mine takes a text, got 'B'"):
        c.mine = "B"
    assert "mylab.workers (an integer)\n    Doc:  How many.\n    Value:  8\n" in str(c)


def test_a_function_as_default_is_called_once_and_only_when_read():
    calls = []
    c = fresh()
    AddConfigVar("mine", "Mine.", ConfigParam(lambda: calls.append(1) or "made"), root=c)
    assert calls == []
    assert (c.mine, c.mine, calls) == ("made", "made", [1])


def test_a_filter_may_change_or_refuse_a_value():
    def even(value):
        if int(value) % 2:
            raise ValueError("odd numbers will not do")
        return int(value)

    c = fresh()
    AddConfigVar("mine", "Mine.", ConfigParam(2, filter=even), root=c)
    c.mine = "4"
    assert c.mine == 4
    with pytest.raises(ValueError, match=r"mine takes any value, got '5'.*odd numbers will"):
        c.mine = "5"


def test_a_name_is_declared_once_and_a_flag_is_no_section():
    c = fresh()
    for name in ("floatX", "floatX.size", "compile", "compile.wait", "a-b", "_root", ""):
        with pytest.raises(AttributeError, match="AddConfigVar takes"):
            AddConfigVar(name, "Again.", IntParam(1), root=c)


def test_one_param_is_one_flag():
    c, param = fresh(), IntParam(1)
    AddConfigVar("one", "One.", param, root=c)
    with pytest.raises(AttributeError, match="that of 'one'"):
        AddConfigVar("two", "Two.", param, root=c)


# changes for a while


def test_flags_change_inside_a_block_and_come_back_after_it():
    before = config.floatX, config.profiling.n_apply
    with change_flags({"profiling.n_apply": 3}, floatX="float16"):
        assert (config.floatX, config.profiling.n_apply) == ("float16", 3)
        with config.change_flags(profiling__n_apply=4):
            assert config.profiling.n_apply == 4
        assert config.profiling.n_apply == 3
    assert (config.floatX, config.profiling.n_apply) == before


def test_flags_come_back_after_an_error():
    with pytest.raises(ZeroDivisionError), change_flags(floatX="float16"):
        raise ZeroDivisionError
    assert config.floatX == "float64"


def test_a_decorated_function_may_call_itself():
    @change_flags([("floatX", "float32")])
    def down(n):
        """Counts."""
        return [config.floatX] + (down(n - 1) if n else [])

    assert down(2) == ["float32"] * 3
    assert config.floatX == "float64"
    assert (down.__name__, down.__doc__) == ("down", "Counts.")


def test_a_change_that_fails_half_way_changes_nothing():
    with pytest.raises(ValueError), change_flags(profile=True, floatX="float31"):
        raise AssertionError("not reached")
    assert (config.profile, config.floatX) == (False, "float64")


def test_a_computed_value_is_computed_again_after_a_change():
    c = fresh()
    with c.change_flags({"compile.timeout": 1}):
        assert c.compile.timeout == 1
    c.compile.wait = 1
    assert c.compile.timeout == 24


def test_an_unknown_name_is_refused_before_the_block():
    with pytest.raises(AttributeError, match="did you mean 'floatX'"):
        change_flags(flooatX="float32")


# cost


def test_reading_a_flag_is_a_plain_attribute_read():
    # the flag lies in the instance's dict: nothing of ours runs
    assert "floatX" in vars(config) and "n_apply" in vars(config.profiling)

    class Plain:
        pass

    plain = Plain()
    plain.floatX = "float64"
    best = {
        name: min(timeit.repeat("o.floatX", globals={"o": o}, number=20_000, repeat=7))
        for name, o in (("flag", config), ("plain", plain))
    }
    assert best["flag"] < 20 * best["plain"]


def test_importing_the_flags_starts_no_process_and_loads_no_parser():
    code = (
        "import sys, os, subprocess\n"
        "def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = os.system = os.popen = refuse\n"
        "sys.path.insert(0, {root!r})\n"
        "import types; theano = types.ModuleType('theano'); theano.__path__ = [{package!r}]\n"
        "sys.modules['theano'] = theano\n"
        "from theano._src.ground.config import config\n"
        "assert config.compiledir\n"
        "print(sorted({{'numpy', 'configparser', 'shlex', 'difflib'}} & set(sys.modules)))\n"
    )
    import theano._src.ground as ground

    package = os.path.dirname(os.path.dirname(os.path.dirname(ground.__file__)))
    code = code.format(root=os.path.dirname(package), package=package)
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "THEANORC": os.devnull + "none"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "[]"
