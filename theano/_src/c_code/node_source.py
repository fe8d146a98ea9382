"""The C++ text of one node: an extension module that creates structs and runs the node in them.

Each variable is a block, and the op's code is the innermost one. A block that fails jumps to its
own label and cleans up, and so do the blocks around it:

.. code-block:: text

    { declare x; extract x;
      { declare z; init z;
        { c_code of the op
          label_3: c_code_cleanup }
        label_2: sync z, unless something failed; cleanup z }
      label_1: cleanup x }
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theano._src.c_code.asking import asked_list, asked_text, call_method
from theano._src.c_code.compiler import Options

__all__ = ["MODULE", "NodeSource", "node_source"]

#: the name of the extension module, which its text contains
MODULE = "theano_node"
#: suffix for names of functions that ops define per node; a module has one node
NAME = "node_0"
_PARAMS = "V_params"

_LISTS = {
    "header_dirs": "c_header_dirs",
    "libraries": "c_libraries",
    "lib_dirs": "c_lib_dirs",
    "args": "c_compile_args",
    "without": "c_no_compile_args",
}


@dataclass(frozen=True)
class NodeSource:
    """The text of a node's module, and its compiler options."""

    text: str
    options: Options
    #: whether the op or a type has no version
    unversioned: bool


def node_source(node: Any) -> NodeSource:
    """Return the C++ text of a node, from the ``c_*`` methods of its op and types.

    Raises
    ------
    MethodNotDefined, NotImplementedError
        The op or a type has no C code for this node.
    """
    return _Writer(node).source()


class _Writer:
    def __init__(self, node: Any) -> None:
        self.node, self.op = node, node.op
        self.ins = [f"V{i + 1}" for i in range(len(node.inputs))]
        self.outs = [f"V{len(self.ins) + i + 1}" for i in range(len(node.outputs))]
        self.check = bool(getattr(self.op, "check_input", True))
        self.params_type = _params_type(node)
        kinds = [v.type for v in (*node.inputs, *node.outputs)]
        if self.params_type is not None:
            kinds.append(self.params_type)
        #: the distinct types, in order
        self.kinds = list({id(kind): kind for kind in kinds}.values())

    def source(self) -> NodeSource:
        run = self.run()
        versions = [self.op.c_code_cache_version_apply(self.node)]
        versions += [kind.c_code_cache_version() for kind in self.kinds]
        body = "\n".join(
            [
                *self.support(),
                "namespace {",
                "struct Node {",
                self.struct(),
                "int run(PyObject* const* given, PyObject** made) {",
                "int failure = 0;",
                run,
                "return failure;",
                "}",
                "};",
                "}  // namespace",
                _MODULE % {
                    "module": MODULE,
                    "ins": len(self.ins),
                    "outs": len(self.outs),
                    "init": self.module_init(),
                },
            ]
        )  # fmt: skip
        text = f"// version: {versions}\n{self.includes(body)}\n{body}"
        gathered = {field: tuple(self.listed(method)) for field, method in _LISTS.items()}
        return NodeSource(text, Options(python=True, **gathered), () in versions)

    def listed(self, method: str) -> list[str]:
        return list(
            dict.fromkeys(x for thing in (*self.kinds, self.op) for x in asked_list(thing, method))
        )

    def includes(self, body: str) -> str:
        headers = ["Python.h", "numpy/arrayobject.h", "stdio.h", "stdlib.h", "math.h", "string.h"]
        if "std::" in body or "namespace std" in body or "cout" in body:
            headers.append("iostream")
        headers = list(dict.fromkeys([*headers, *self.listed("c_headers")]))
        written = [h if h[:1] in '<"' else f"<{h}>" for h in headers]
        return "\n".join(["#define PY_SSIZE_T_CLEAN", *(f"#include {h}" for h in written)])

    def support(self) -> list[str]:
        parts = [asked_text(thing, "c_support_code") for thing in (*self.kinds, self.op)]
        # types with the same dtype return the same text
        return [
            *dict.fromkeys(parts),
            asked_text(self.op, "c_support_code_apply", self.node, NAME),
        ]

    def module_init(self) -> str:
        lines = [
            line for thing in (*self.kinds, self.op) for line in asked_list(thing, "c_init_code")
        ]
        lines.append(asked_text(self.op, "c_init_code_apply", self.node, NAME))
        return "\n".join(dict.fromkeys(lines))

    # the struct

    def struct(self) -> str:
        sub = {"fail": f"{{ {_SAY} return 1; }}", "id": "0", "struct_id": "0"}
        declare = extract = cleanup = ""
        if self.params_type is not None:
            declare = call_method(self.params_type, "c_declare", _PARAMS, sub, True)
            extract = call_method(self.params_type, "c_extract", _PARAMS, sub, True)
            cleanup = call_method(self.params_type, "c_cleanup", _PARAMS, sub)
            sub = {**sub, **self.named_params()}
            init = asked_text(self.params_type, "c_init", _PARAMS, sub)
            # without c_init, there is nothing to clean up before the value is extracted
            extract = f"{init}held = true;\n{extract}" if init else f"{extract}held = true;\n"
        return "\n".join(
            [
                f"PyObject* py_{_PARAMS};",
                declare,
                asked_text(self.op, "c_support_code_struct", self.node, NAME),
                "bool held, ready;",
                f"Node() : py_{_PARAMS}(NULL), held(false), ready(false) {{}}",
                "int init(PyObject* params) {",
                f"py_{_PARAMS} = params;",
                "Py_INCREF(params);",
                extract,
                "ready = true;",
                asked_text(self.op, "c_init_code_struct", self.node, NAME, sub),
                "return 0;",
                "}",
                "~Node() {",
                "if (ready) {",
                asked_text(self.op, "c_cleanup_code_struct", self.node, NAME),
                "}",
                f"if (held) {{ {cleanup} }}",
                f"Py_XDECREF(py_{_PARAMS});",
                "}",
            ]
        )

    def named_params(self) -> dict[str, str]:
        return {} if self.params_type is None else {"params": _PARAMS, "context": _PARAMS}

    # the blocks

    def run(self) -> str:
        text = self.code(len(self.ins) + len(self.outs) + 1)
        variables = [
            *((name, v.type, f"given[{i}]", None) for i, (name, v) in
              enumerate(zip(self.ins, self.node.inputs, strict=True))),
            *((name, v.type, f"given[{len(self.ins) + i}]", i) for i, (name, v) in
              enumerate(zip(self.outs, self.node.outputs, strict=True))),
        ]  # fmt: skip
        for label, (name, kind, given, out) in reversed(list(enumerate(variables, 1))):
            sub = {"fail": _fail(label), "id": str(label)}
            method = "c_extract" if out is None else "c_extract_out"
            sync = ""
            if out is not None:
                sync = (
                    f"if (!failure) {{\n{call_method(kind, 'c_sync', name, sub)}\n"
                    f"if (!failure) {{ made[{out}] = py_{name}; Py_XINCREF(py_{name}); }} }}\n"
                )
            text = "\n".join(
                [
                    "{",
                    f"PyObject* py_{name} = {given};",
                    f"Py_XINCREF(py_{name});",
                    call_method(kind, "c_declare", name, sub, self.check),
                    "{",
                    call_method(kind, method, name, sub, self.check),
                    text,
                    "}",
                    f"label_{label}: ;",
                    sync + call_method(kind, "c_cleanup", name, sub),
                    f"Py_XDECREF(py_{name});",
                    "}",
                ]
            )
        return text

    def code(self, label: int) -> str:
        sub = {"fail": _fail(label), "id": str(label), "struct_id": "0", **self.named_params()}
        args = (self.node, NAME, self.ins, self.outs, sub)
        code = call_method(self.op, "c_code", *args)
        cleanup = asked_text(self.op, "c_code_cleanup", *args)
        if not cleanup.strip():
            # inside their own braces, declarations may be jumped over
            code = f"{{\n{code}\n}}"
        return f"{{\n{code}\nlabel_{label}: ;\n{cleanup}\n}}"


def _params_type(node: Any) -> Any:
    """Return the Type of a node's parameters, under its newer or older name; or None."""
    result = getattr(node.op, "params_type", None)
    return getattr(node.op, "context_type", None) if result is None else result


_SAY = (
    "if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "
    '"the C code of an op failed, and set no exception");'
)


def _fail(label: int) -> str:
    return f"{{ failure = {label}; {_SAY} goto label_{label}; }}"


_MODULE = """
static void theano_delete(PyObject* capsule) {
    delete (Node*)PyCapsule_GetPointer(capsule, NULL);
}

static PyObject* theano_make(PyObject* module, PyObject* params) {
    Node* node = new Node();
    if (node->init(params)) {
        delete node;
        return NULL;
    }
    return PyCapsule_New(node, NULL, theano_delete);
}

// the node, its inputs, and what its outputs may be written into; gives the outputs
static PyObject* theano_run(PyObject* module, PyObject* const* args, Py_ssize_t n) {
    const int n_ins = %(ins)d, n_outs = %(outs)d;
    if (n != 1 + n_ins + n_outs) {
        PyErr_Format(PyExc_TypeError, "the node takes %%d inputs and %%d outputs, got %%zd values",
                     n_ins, n_outs, n - 1);
        return NULL;
    }
    Node* node = (Node*)PyCapsule_GetPointer(args[0], NULL);
    if (node == NULL) return NULL;
    PyObject* made[n_outs + 1] = {0};
    int failure = node->run(args + 1, made);
    PyObject* result = NULL;
    if (failure || PyErr_Occurred()) {
        for (int i = 0; i < n_outs; i++) Py_XDECREF(made[i]);
        return NULL;
    }
    if (n_outs == 1) return made[0];
    result = PyTuple_New(n_outs);
    for (int i = 0; i < n_outs; i++) {
        if (result) PyTuple_SET_ITEM(result, i, made[i]); else Py_XDECREF(made[i]);
    }
    return result;
}

static PyMethodDef theano_methods[] = {
    {"make", theano_make, METH_O, NULL},
    {"run", (PyCFunction)(void*)theano_run, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}
};

static struct PyModuleDef theano_definition = {
    PyModuleDef_HEAD_INIT, "%(module)s", NULL, -1, theano_methods
};

static PyObject* theano_set_up(PyObject* m) {
    import_array();
    {
%(init)s
    }
    return m;
}

PyMODINIT_FUNC PyInit_%(module)s(void) {
    PyObject* m = PyModule_Create(&theano_definition);
    if (m == NULL) return NULL;
    if (theano_set_up(m) == NULL || PyErr_Occurred()) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
"""
