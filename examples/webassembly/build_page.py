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


def network(x, probabilities, params):
    """The trained network as a function of one image of 64 pixels; its parameters are constants."""
    image = T.vector("image")
    constants = {p: T.constant(p.get_value()) for p in params}
    output = probabilities[0]
    output.name = "probabilities"
    return theano.function([image], output, givens={x: image.dimshuffle("x", 0), **constants})


def trained(n_epochs, quiet):
    """LeNet when it has learned: images, probabilities, parameters; ten digits it has not seen."""
    sys.path.insert(0, str(HERE.parent))
    import digits
    import lenet

    results = lenet.main(n_epochs=n_epochs, quiet=quiet)
    _, (images, labels) = digits.shared_digits()
    images, labels = images.get_value(), labels.eval()
    chosen = [int(np.flatnonzero(labels == k)[0]) for k in range(10)]
    return results["network"], images[chosen]


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
    lenet, samples = trained(n_epochs, quiet)
    digit = network(*lenet)
    theano.export({"digit": digit}, folder / "digit.c", shapes={"image": (64,)}, dtype="float32")
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
