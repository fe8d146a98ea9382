"""Train LeNet on the digits, export it as C, and compile it for a web page.

`python build_page.py FOLDER` writes a page into FOLDER. `python -m http.server -d FOLDER` shows it
at http://localhost:8000. The compiler is that of the package ziglang, or clang with the packages
wasi-libc and libclang-rt-dev-wasm32 of the system.
"""

import argparse
import importlib.util
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import theano
import theano.tensor as T

HERE = Path(__file__).resolve().parent
ZIG = f"{shlex.quote(sys.executable)} -m ziglang cc -target wasm32-wasi"
CLANG = "clang --target=wasm32-wasi"
#: what JavaScript calls, and where the memory is that nobody uses
EXPORTED = ("digit", "digit_sizes", "__heap_base")


def convolved(pixels, filters, size, pool):
    """The maps of an image behind filters and max-pooling: a row for each cell.

    The rows of ``pixels`` are those of the image, its columns are channels.
    """
    number, channels, width, _ = filters.shape
    cells = (size - width + 1) // pool
    # rows and columns of all pixels: by place in the cell, cell, and place in the patch
    ranges = np.arange(pool), np.arange(cells), np.arange(width)
    place, cell, inside = np.meshgrid(*ranges, indexing="ij")
    at = place + cell * pool + inside
    where = at[:, None, :, None, :, None] * size + at[None, :, None, :, None, :]
    found = pixels[where.ravel()].reshape((-1, width**2 * channels))
    # a convolution turns its filters by half a turn
    weights = filters[:, :, ::-1, ::-1].transpose(2, 3, 1, 0).reshape(-1, number)
    return T.dot(found, weights).reshape((pool**2, cells**2, number)).max(axis=0)


def network(params):
    """The trained network as a function of one image of 64 pixels, in float32.

    The layers are those of `lenet.py`. A convolution is written as a product of matrices, as
    `conv2d` cannot be exported to C.
    """
    w0, b0, w1, b1, w2, b2, w3, b3 = (np.asarray(p, "float32") for p in params)
    image = T.fvector("image")
    maps = T.tanh(convolved(image.reshape((64, 1)), w0, 8, 2) + b0)
    codes = T.tanh(convolved(maps, w1, 3, 2)[0] + b1)
    hidden = T.tanh(T.dot(codes, w2) + b2)
    probabilities = T.nnet.softmax(T.dot(hidden, w3) + b3)[0]
    probabilities.name = "probabilities"
    return theano.function([image], probabilities)


def trained(n_epochs, quiet):
    """The parameters of LeNet when it has learned, and ten digits that it has not seen."""
    sys.path.insert(0, str(HERE.parent))
    import digits
    import lenet

    results = lenet.main(n_epochs=n_epochs, quiet=quiet)
    _, (images, labels) = digits.shared_digits()
    images, labels = images.get_value(), labels.eval()
    chosen = [int(np.flatnonzero(labels == k)[0]) for k in range(10)]
    return results["params"], images[chosen]


def compiled(folder, compiler):
    """Compile `digit.c` to `digit.wasm`."""
    flags = ["-O2", "-mexec-model=reactor", "-Wl,--strip-all"]
    flags += [f"-Wl,--export={name}" for name in EXPORTED]
    files = ["digit.c", "-lm", "-o", "digit.wasm"]
    subprocess.run([*shlex.split(compiler), *flags, *files], cwd=folder, check=True)


def main(folder, compiler=None, n_epochs=12, quiet=False):
    """Write the page; return the function, and the samples that the page shows."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    params, samples = trained(n_epochs, quiet)
    digit = network(params)
    theano.export({"digit": digit}, folder / "digit.c", shapes={"image": (64,)})
    compiled(folder, compiler or (ZIG if importlib.util.find_spec("ziglang") else CLANG))
    (folder / "samples.json").write_text(json.dumps(samples.astype(float).tolist()))
    for name in ("index.html", "network.js"):
        shutil.copy(HERE / name, folder)
    if not quiet:
        size = (folder / "digit.wasm").stat().st_size
        print(f"digit.wasm: {size / 1000:.0f} kB\npython -m http.server -d {folder}")
    return digit, np.float32(samples)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--compiler", help="a command that compiles C to WebAssembly")
    asked = parser.parse_args()
    main(asked.folder, asked.compiler)
