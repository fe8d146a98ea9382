"""The forms a convolution may take on XLA, beside each other and beside PyTorch's.

For each shape the output and both gradients are computed by XLA's convolution with channels first
(`first`) and last (`last`), by products of patches (`patches`) and, where filters meet one channel,
by sums of shifted images (`shifts`); `*` marks the form that the rule in the engine takes, and the
last column says how far it is from the quickest of all. Times are the least of many calls in turns,
in milliseconds. ``--torch PYTHON`` adds PyTorch, run by an interpreter that has it; ``--lenet``
adds the training step of LeNet, batch 20. Aim: no shape of the table at more than 1.3 times the
quickest form (``--assert``).
"""

import argparse
import json
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
from timing import XLA, numbers, print_machine

import theano
import theano.tensor as T
from theano._src.engines.jax.arrays.convolution import Direct, JaxConvolution, Patches, Shifts
from theano._src.ground.convolution import Window

# name; images; filters; stride; padding; groups
# fmt: off
SHAPES = [
    ("LeNet, first",      (20, 1, 28, 28),  (20, 1, 5, 5),    1, 0, 1),
    ("LeNet, second",     (20, 20, 12, 12), (50, 20, 5, 5),   1, 0, 1),
    ("LeNet, second, 200", (200, 20, 12, 12), (50, 20, 5, 5), 1, 0, 1),
    ("3 to 64, 3x3",      (4, 3, 64, 64),   (64, 3, 3, 3),    1, 1, 1),
    ("64 to 64, 3x3",     (4, 64, 28, 28),  (64, 64, 3, 3),   1, 1, 1),
    ("256 to 256, 3x3",   (2, 256, 14, 14), (256, 256, 3, 3), 1, 1, 1),
    ("3 to 32, 11x11/4",  (4, 3, 96, 96),   (32, 3, 11, 11),  4, 0, 1),
    ("32 to 64, 3x3/2",   (8, 32, 32, 32),  (64, 32, 3, 3),   2, 1, 1),
    ("1 to 32, 3x3, 128", (128, 1, 28, 28), (32, 1, 3, 3),    1, 0, 1),
    ("32 to 64, 3x3, 128", (128, 32, 26, 26), (64, 32, 3, 3), 1, 0, 1),
    ("64 to 128, 1x1",    (8, 64, 16, 16),  (128, 64, 1, 1),  1, 0, 1),
    ("32 alone, 3x3",     (8, 32, 32, 32),  (32, 1, 3, 3),    1, 1, 32),
    ("2 groups, 3x3",     (8, 32, 16, 16),  (64, 16, 3, 3),   1, 1, 2),
]
# fmt: on
WORKER = """
import json, sys, time
import torch
threads, (images, filters, stride, pad, groups) = json.loads(sys.argv[1])
torch.set_num_threads(threads)
x, w = torch.randn(*images), torch.randn(*filters)
def forward():
    return torch.nn.functional.conv2d(x, w, stride=stride, padding=pad, groups=groups)
g = forward()
def backward(*which):
    return torch.ops.aten.convolution_backward(
        g, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups, which)
calls = {"output": forward, "weights": lambda: backward(False, True, False),
         "inputs": lambda: backward(True, False, False)}
for line in sys.stdin:
    started = time.perf_counter()
    calls[line.strip()]()
    print(time.perf_counter() - started, flush=True)
"""


class ChannelsFirst(Direct):
    """XLA's convolution with channels first."""

    def _call(self, x, w, strides, pads, **options):
        orders = ("NCHW", "OIHW", "NCHW")
        return jax.lax.conv_general_dilated(
            x, w, strides, pads, dimension_numbers=orders, **options
        )


class Noted(JaxConvolution):
    """The rule, which tells what it chose."""

    def __init__(self):
        self.direct, self.patches = Told(Direct()), Told(Patches())
        self.shifts = Told(Shifts())


class Told:
    def __init__(self, form):
        self._form, self.used = form, False

    def __getattr__(self, name):
        self.used = True
        return getattr(self._form, name)


def computed(form, what, lengths, sizes, window):
    """One of the three computations by a form, of the two arrays that it takes."""
    return {
        "output": lambda x, w: form.forward(x, w, window),
        "weights": lambda x, g: form.weights(x, g, lengths, window),
        "inputs": lambda w, g: form.inputs(w, g, sizes, window),
    }[what]


def chosen(what, arrays, lengths, sizes, window):
    rule = Noted()
    jax.eval_shape(computed(rule, what, lengths, sizes, window), *arrays)
    return "shifts" if rule.shifts.used else "patches" if rule.patches.used else "last"


def seconds(call):
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def least(calls, budget):
    """The least time of each call, in turns."""
    for call in calls.values():
        call(), call()
    found = dict.fromkeys(calls, float("inf"))
    ends = time.perf_counter() + budget
    while time.perf_counter() < ends:
        for name, call in calls.items():
            found[name] = min(found[name], call())
    return found


def worker(python, threads, case):
    made = subprocess.Popen(
        [python, "-c", WORKER, json.dumps([threads, case])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def ask(what):
        made.stdin.write(what + "\n")
        made.stdin.flush()
        return float(made.stdout.readline())

    return ask


def compare(case, options):
    """The lines of one shape; whether the rule was right in all."""
    name, images, filters, stride, pad, groups = case
    window = Window(((pad, pad),) * 2, (stride,) * 2, (1, 1), groups)
    lengths, sizes = filters[2:], images[2:]
    x, w = (jnp.asarray(numbers(*s, dtype="float32")) for s in (images, filters))
    g = jnp.asarray(numbers(*Direct().forward(x, w, window).shape, dtype="float32"))
    torch = worker(options.torch, options.threads, case[1:]) if options.torch else None
    forms = {"first": ChannelsFirst(), "last": Direct(), "patches": Patches()}
    right = True
    for what, arrays in {"output": (x, w), "weights": (x, g), "inputs": (w, g)}.items():
        calls = {}
        taken = chosen(what, arrays, lengths, sizes, window)
        tried = forms | ({"shifts": Shifts()} if taken == "shifts" else {})
        for key, form in tried.items():
            f = jax.jit(computed(form, what, lengths, sizes, window))
            calls[key] = lambda f=f, at=arrays: seconds(lambda: f(*at).block_until_ready())
        if torch:
            calls["torch"] = lambda what=what: torch(what)
        found = least(calls, 0.1 if options.quick else 2.0)
        best = min(found[key] for key in tried)
        texts = [
            f"{found[key] * 1e3:9.3f}{'*' if key == taken else ' '}" if key in found else " " * 10
            for key in (*forms, "shifts", *(["torch"] if torch else []))
        ]
        print(f"{name:20} {what:8}{''.join(texts)} {found[taken] / best:6.2f}", flush=True)
        right = right and found[taken] <= 1.3 * best
    return right


LENET = """
import sys, time
import numpy as np, torch
import torch.nn.functional as F
torch.set_num_threads(int(sys.argv[1]))
r = np.random.RandomState(0)
def drawn(*s):
    return torch.tensor((0.05 * r.randn(*s)).astype("float32"), requires_grad=True)
params = [drawn(*s) for s in ((20, 1, 5, 5), (20,), (50, 20, 5, 5), (50,), (800, 500), (500,),
                              (500, 10), (10,))]
x = torch.tensor(r.randn(20, 1, 28, 28).astype("float32"))
t = torch.tensor(r.randint(0, 10, 20))
def step():
    a, b, c, d, e, f, g, h = params
    y = torch.tanh(F.max_pool2d(F.conv2d(x, a, b), 2))
    y = torch.tanh(F.max_pool2d(F.conv2d(y, c, d), 2))
    y = torch.tanh(y.flatten(1) @ e + f)
    cost = F.cross_entropy(y @ g + h, t)
    grads = torch.autograd.grad(cost, params)
    with torch.no_grad():
        for p, slope in zip(params, grads):
            p.sub_(slope, alpha=0.01)
    return cost.detach().numpy()
for line in sys.stdin:
    started = time.perf_counter()
    step()
    print(time.perf_counter() - started, flush=True)
"""


def our_lenet():
    from theano.tensor.signal.pool import pool_2d

    shapes = (20, 1, 5, 5), (20,), (50, 20, 5, 5), (50,), (800, 500), (500,), (500, 10), (10,)
    params = [theano.shared(0.05 * numbers(*s, dtype="float32")) for s in shapes]
    a, b, c, d, e, f, g, h = params
    x, t = T.ftensor4("x"), T.lvector("t")
    y = pool_2d(T.nnet.conv2d(x, a), (2, 2), ignore_border=True)
    y = T.tanh(y + b.dimshuffle("x", 0, "x", "x"))
    y = pool_2d(T.nnet.conv2d(y, c), (2, 2), ignore_border=True)
    y = T.tanh(y + d.dimshuffle("x", 0, "x", "x"))
    p = T.nnet.softmax(T.dot(T.tanh(T.dot(y.flatten(2), e) + f), g) + h)
    cost = T.nnet.categorical_crossentropy(p, t).mean()
    updates = [
        (v, v - T.cast(0.01, v.dtype) * slope)
        for v, slope in zip(params, T.grad(cost, params), strict=True)
    ]
    step = theano.function([x, t], cost, updates=updates, mode=XLA)
    images = numbers(20, 1, 28, 28, dtype="float32")
    labels = numbers(20).argsort() % 10
    return lambda: seconds(lambda: step(images, labels))


def lenet(options):
    calls = {"ours": our_lenet()}
    if options.torch:
        made = subprocess.Popen(
            [options.torch, "-c", LENET, str(options.threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

        def ask():
            made.stdin.write("step\n")
            made.stdin.flush()
            return float(made.stdout.readline())

        calls["torch"] = ask
    found = least(calls, 0.5 if options.quick else 20.0)
    print("a training step of LeNet, batch 20:", end="")
    print("".join(f"  {name} {t * 1e3:.3f} ms" for name, t in found.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--assert", dest="check", action="store_true")
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lenet", action="store_true")
    options = parser.parse_args()
    print_machine()
    torch = f"{'torch':>10}" if options.torch else ""
    print(f"{'ms':29}{'first':>9}{'last':>10}{'patches':>10}{'shifts':>10}{torch}    off")
    cases = [case for case in SHAPES if options.only in case[0]]
    wrong = sum(not compare(case, options) for case in cases)
    if options.lenet:
        lenet(options)
    return 1 if options.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
