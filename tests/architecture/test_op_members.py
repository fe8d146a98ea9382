"""What an op may state is a short list: members beyond Theano's are data, and few (ADR 26)."""

from pathlib import Path

from theano._src.graph.op import HasInnerGraph, Op, PureOp
from theano._src.ops.core.scalar import ScalarOp

LINES = Path(__file__).with_name("op_members.txt").read_text().splitlines()
OURS = {line.split()[0] for line in LINES if line and not line.startswith("#")}
MOST = 35

#: public members of Op and ScalarOp in Theano 1.0.5, and those that its documents name
THEANO = {
    "L_op", "R_op", "add_tag_trace", "associative", "c_cleanup_code_struct", "c_code",
    "c_code_cache_version", "c_code_cache_version_apply", "c_code_cleanup", "c_code_contiguous",
    "c_compile_args", "c_compiler", "c_header_dirs", "c_headers", "c_init_code",
    "c_init_code_apply", "c_init_code_struct", "c_lib_dirs", "c_libraries", "c_no_compile_args",
    "c_support_code", "c_support_code_apply", "c_support_code_struct", "commutative",
    "default_output", "destroy_map", "do_constant_folding", "get_params", "grad", "identity",
    "impl", "make_c_thunk", "make_node", "make_py_thunk", "make_thunk", "name", "nin", "nout",
    "output_types", "output_types_preference", "params_type", "perform", "prepare_node",
    "supports_c_code", "view_map",
}  # fmt: skip


def members(cls: type) -> set[str]:
    """The public names of a class and its bases, also those that only have a type."""
    names = {name for c in cls.__mro__ for name in (*vars(c), *getattr(c, "__annotations__", ()))}
    return {name for name in names if not name.startswith("_")}


def test_the_members_of_ops_beyond_those_of_theano_are_listed():
    every = members(PureOp) | members(Op) | members(HasInnerGraph) | members(ScalarOp)
    assert every - THEANO == OURS
    assert len(OURS) <= MOST


def test_a_member_that_only_has_a_type_is_found():
    class Annotated:
        new: int

    assert members(Annotated) == {"new"}
