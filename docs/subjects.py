"""What readers search for on the site, and the page to read first."""

SUBJECTS = {
    "installation": "install installation",
    "tutorial/expressions": "expressions variables tensors",
    "tutorial/functions": "function functions shared shared_variables updates givens",
    "tutorial/shape": "shape shapes broadcasting dimshuffle reshape",
    "tutorial/derivatives": "derivatives gradient gradients grad jacobian hessian",
    "tutorial/training": "training minibatches",
    "tutorial/indexing": "indexing slices subtensors",
    "tutorial/conditions": "conditions if switch",
    "tutorial/loop": "loop loops scan for",
    "tutorial/random": "random random_numbers randomstreams",
    "tutorial/graphs": "graph graphs",
    "tutorial/theano-programs": "old_programs migration",
    "tutorial/coming-from": "numpy pytorch pytensor",
    "tutorial/jax": "jax",
    "tutorial/errors": "error errors",
    "tutorial/debugging": "debug debugging",
    "tutorial/saving": "save saving load checkpoints pickle",
    "tutorial/profiling": "profile profiling",
    "tutorial/performance": "speed slow fast performance",
    "tutorial/sparse": "sparse sparse_matrices",
    "tutorial/distributed": "distributed mesh sharding",
    "howto/gpu": "gpu gpus cuda",
    "howto/debug-nan": "nan",
    "howto/seed": "seed",
    "howto/export": "export onnx",
    "howto/float32": "float32 floatx",
    "howto/keras": "keras",
    "howto/custom-op": "custom_op own_op",
    "howto/minibatches": "adam sgd optimizers",
    "howto/learning-rate": "learning_rate",
    "library/old_packages": "lasagne",
    "library/flags": "flag flags",
}


def add(app, docname, source):
    """Add entries to the index, which the search puts before pages that only have the word."""
    words = SUBJECTS.get(docname, "").split()
    if words:
        entries = ", ".join("! " + word.replace("_", " ") for word in words)
        source[0] = f"```{{index}} {entries}\n```\n\n{source[0]}"
