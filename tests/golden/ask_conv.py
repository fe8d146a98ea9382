"""Asks Theano 1.0.5 what convolutions give, and their gradients; run by an environment that has it.

``python ask_conv.py conv.npz``: for each case its value and, under ``gx`` and ``gw``, the gradients
of the first and second argument, and under ``xw`` and ``wx`` those of these gradients along a
direction. All numbers are integers, so that the answers are exact. Written for that environment's
Python too.
"""

import sys

import numpy as np

PAIRS = [((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 1)), ((2, 3), (1, 2))]


def numbers(shape, seed):
    """Integers from -3 to 3: the same wherever they are asked for."""
    n = int(np.prod(shape))
    return ((np.arange(n) * 37 + seed * 11) % 101 % 7 - 3.0).reshape(shape)


def cases():
    """What is asked: a name, the function, the shapes of two arguments, and the others."""
    image, filters = (2, 2, 6, 5), (3, 2, 3, 2)
    modes = ["valid", "full", "half", 1, (2, 1), ((1, 2), (0, 1)), (0, (2, 1)), ((2, 0), 1)]
    for m, mode in enumerate(modes):
        for p, (step, gap) in enumerate(PAIRS):
            for flip in [True, False] if p in (0, 3) else [(m + p) % 2 == 0]:
                rest = {"border_mode": mode, "subsample": step, "filter_dilation": gap}
                rest["filter_flip"] = flip
                yield "conv2d", image, filters, rest
    for groups, w in [(2, (4, 2, 2, 3)), (4, (4, 1, 3, 2)), (2, (2, 2, 1, 1))]:
        for mode, step in [("valid", (1, 1)), ("half", (2, 1))]:
            rest = {"num_groups": groups, "border_mode": mode, "subsample": step}
            yield "conv2d", (2, 4, 5, 4), w, rest
    for groups, flip, step, w in [
        (1, True, (1, 1), (2, 3, 3, 2, 2, 2)),
        (1, False, (1, 1), (2, 3, 3, 2, 2, 2)),
        (2, True, (1, 1), (2, 3, 3, 1, 2, 2)),
        (1, True, (2, 1), (2, 2, 3, 2, 2, 2)),
    ]:
        rest = {"unshared": True, "num_groups": groups, "filter_flip": flip, "subsample": step}
        yield "conv2d", (2, 2, 4, 4), w, rest
    for mode in ["valid", "full", "half", 1, (0, 1, 2)]:
        for step, gap, flip in [((1, 1, 1), (1, 1, 1), True), ((2, 1, 2), (1, 2, 1), False)]:
            rest = {"border_mode": mode, "subsample": step, "filter_dilation": gap}
            rest["filter_flip"] = flip
            yield "conv3d", (1, 2, 4, 5, 4), (2, 2, 2, 2, 3), rest
    yield "conv3d", (1, 4, 3, 4, 3), (4, 2, 2, 2, 2), {"num_groups": 2}
    for mode, step, out in [
        ("valid", (1, 1), (6, 6)),
        ("valid", (2, 1), (10, 6)),
        ("valid", (2, 1), (9, 6)),
        ("half", (2, 2), (7, 9)),
        ((1, 0), (1, 2), (4, 11)),
        ("full", (1, 1), (3, 4)),
    ]:
        rest = {"output_shape": [None, None] + list(out), "border_mode": mode}
        rest["input_dilation"] = step
        yield "conv2d_transpose", (2, 3, 4 + (mode == "full"), 5), (3, 2, 3, 2), rest
    yield "separable", (2, 2, 5, 4), (4, 1, 3, 2), {"num_channels": 2}
    yield "separable", (2, 2, 5, 4), (2, 1, 2, 2), {"num_channels": 2, "border_mode": "full"}
    for step, gap, flip in [(1, 1, True), (1, 2, True), (2, 1, False)]:
        rest = {"subsample": step, "filter_dilation": gap, "filter_flip": flip}
        rest["filter_shape"] = [3, 2, 3]
        yield "causal_conv1d", (2, 2, 7), (3, 2, 3), rest
    for ratio in (1, 2, 3, 4):
        for one in (True, False):
            yield "bilinear_upsampling", (1, 2, 3, 4), None, {"ratio": ratio, "use_1D_kernel": one}
    for ratio in [(3, 2), (6, 4), ((5, 3), (4, 2)), (2, 1)]:
        rest = {"frac_ratio": ratio, "use_1D_kernel": False}
        yield "bilinear_upsampling", (1, 2, 4, 5), None, rest
    for mode in ["valid", "full"]:
        for step in [(1, 1), (2, 3)]:
            rest = {"border_mode": mode, "subsample": step}
            yield "legacy", image, filters, rest
            yield "signal", (5, 6), (2, 3), rest
            yield "signal", (2, 5, 6), (3, 2, 3), rest
        yield "signal", (2, 5, 6), (2, 3), {"border_mode": mode}
        yield "signal", (5, 6), (3, 2, 3), {"border_mode": mode}
    for mode in ["valid", "full", "half", ("full", "valid", "valid")]:
        yield "conv3d2d", (1, 4, 2, 4, 5), (2, 3, 2, 2, 3), {"border_mode": mode}


def functions():
    """The functions by the names that are used above, each of two tensors and keywords."""
    from theano.tensor import nnet
    from theano.tensor.nnet import abstract_conv, conv, conv3d2d
    from theano.tensor.signal import conv as signal

    def separable(x, w, **rest):
        point = numbers((3, rest.pop("count"), 1, 1), 7)
        return abstract_conv.separable_conv2d(x, w, point, **rest)

    def upsampled(x, w, **rest):
        return abstract_conv.bilinear_upsampling(x, **rest)

    return {
        "conv2d": nnet.conv2d,
        "conv3d": nnet.conv3d,
        "conv2d_transpose": nnet.conv2d_transpose,
        "separable": separable,
        "causal_conv1d": abstract_conv.causal_conv1d,
        "bilinear_upsampling": upsampled,
        "legacy": conv.conv2d,
        "signal": signal.conv2d,
        "conv3d2d": conv3d2d.conv3d,
    }


def called(name, x, w, shape, rest):
    """The result as a graph."""
    rest = dict(rest, count=shape[0]) if name == "separable" else dict(rest)
    return functions()[name](x, w, **rest)


def asked(name, image, filters, rest):
    """The inputs, and by their names the graphs of what is recorded."""
    import theano.tensor as T

    x = T.TensorType("float64", (False,) * len(image))("x")
    w = None if filters is None else T.TensorType("float64", (False,) * len(filters))("w")
    y = called(name, x, w, filters, rest)
    inputs = [v for v in (x, w) if v is not None]
    return inputs, y


def derived(inputs, y, shapes, shape):
    """The gradients, and their gradients; ``shape`` is that of the value."""
    import theano.tensor as T

    cost = T.sum(y * numbers(shape, 3))
    grads = T.grad(cost, inputs)
    found = dict(zip(["gx", "gw"], grads))
    if len(inputs) == 2:
        found["xw"] = T.grad(T.sum(grads[0] * numbers(shapes[0], 4)), inputs[1])
        found["wx"] = T.grad(T.sum(grads[1] * numbers(shapes[1], 5)), inputs[0])
    return found


def main():
    import scipy.signal
    from scipy.signal import _signaltools, _sigtools

    import theano
    from theano.tensor.nnet import abstract_conv, conv

    # names that SciPy has moved since
    for module in (abstract_conv, conv):
        module._valfrommode = _signaltools._valfrommode
        module._bvalfromboundary = _signaltools._bvalfromboundary
        module._convolve2d = _sigtools._convolve2d
        module.convolve = scipy.signal.convolve
        module.imported_scipy_signal = True
    mode = theano.Mode("py", None)
    found = {}
    for i, (name, image, filters, rest) in enumerate(cases()):
        inputs, y = asked(name, image, filters, rest)
        shapes = [s for s in (image, filters) if s is not None]
        values = [numbers(s, k + 1) for k, s in enumerate(shapes)]
        value = theano.function(inputs, y, mode=mode)(*values)
        found[f"{i}-value"] = value
        try:
            made = derived(inputs, y, shapes, value.shape)
            names = sorted(made)
            got = theano.function(
                inputs, [made[n] for n in names], mode=mode, on_unused_input="ignore"
            )(*values)
            found.update({f"{i}-{n}": v for n, v in zip(names, got)})
        except Exception as error:  # what Theano itself cannot differentiate
            sys.stderr.write(f"{i} {name} {rest}: {str(error)[:200]}\n")
    exact = {}
    for key, v in found.items():
        whole = np.round(v)
        exact[key] = whole.astype("int32") if np.allclose(v, whole, atol=1e-9) else v
    np.savez_compressed(sys.argv[1], **exact)


if __name__ == "__main__":
    main()
