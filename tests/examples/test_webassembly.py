"""The network of `examples/webassembly` computes in a browser what it does here."""

import functools
import http.server
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.compile.c_toolchain import needed_program

HOME = Path(__file__).parents[2]
PROGRAMS = HOME / "examples" / "webassembly"
CLANG = ["clang", "--target=wasm32-wasi"]
#: without these, Chromium asks other machines for this and that
ALONE = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
    --disable-background-networking --disable-component-update --virtual-time-budget=20000"""
#: what is drawn, and is read as this digit
DRAWN = {
    1: [[[110, 90], [145, 50], [145, 230]]],
    4: [[[150, 50], [80, 170], [200, 170]], [[160, 120], [160, 235]]],
}
IN_NODE = """
import { readFileSync } from "node:fs";
import { load } from "./network.mjs";
const predict = await load(readFileSync("digit.wasm"));
const samples = JSON.parse(readFileSync("samples.json", "utf8"));
const noise = samples.map((image) => image.map((value, k) => value * Math.sin(k)));
console.log(JSON.stringify([...samples, ...noise].map(predict)));
"""


def needed_compiler():
    """A command that compiles C to WebAssembly; else skip."""
    if importlib.util.find_spec("ziglang"):
        return None
    if shutil.which("clang"):
        library = subprocess.run(
            [*CLANG, "-print-file-name=libc.a"], capture_output=True, text=True, check=False
        )
        if "wasm32" in library.stdout:
            return " ".join(CLANG)
    pytest.skip("needs a compiler for WebAssembly: ziglang, or clang with wasi-libc")


def program():
    """The program that builds the page."""
    spec = importlib.util.spec_from_file_location("build_page", PROGRAMS / "build_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder of the page, the function, and the samples."""
    pytest.importorskip("sklearn")
    compiler, path, before = needed_compiler(), [*sys.path], {*sys.modules}
    folder = tmp_path_factory.mktemp("page")
    try:
        digit, samples = program().main(folder, compiler, quiet=True)
    finally:
        sys.path[:] = path
        for name in {"lenet", "digits", "drawing"} - before:
            sys.modules.pop(name, None)
    return folder, digit, samples


def test_the_module_imports_nothing_and_computes_what_the_function_does(page):
    folder, digit, samples = page
    node = needed_program("node")
    shutil.copy(folder / "network.js", folder / "network.mjs")
    (folder / "calls.mjs").write_text(IN_NODE)
    made = subprocess.run([node, "calls.mjs"], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    images = [*samples, *(samples * np.sin(np.arange(64))).astype("float32")]
    want = [digit(image) for image in images]
    assert [int(np.argmax(p)) for p in want[:10]] == list(range(10))
    np.testing.assert_allclose(json.loads(made.stdout), want, rtol=1e-4, atol=1e-6)


@pytest.fixture(scope="module")
def shown(page, tmp_path_factory):
    """A function of the part of an address behind #: the text of the page when it is drawn."""
    chromium, folder = needed_program("chromium"), page[0]

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def text(fragment):
        address = f"http://127.0.0.1:{server.server_port}/index.html#{fragment}"
        profile = tmp_path_factory.mktemp("profile")
        command = [chromium, *ALONE.split(), f"--user-data-dir={profile}", "--dump-dom", address]
        for _ in range(3):  # on a busy machine, its patience may end before the page is drawn
            made = subprocess.run(command, capture_output=True, text=True, timeout=120)
            if "data-probabilities" in made.stdout:
                return made.stdout
        raise AssertionError(made.stdout + made.stderr)

    yield text
    server.shutdown()
    server.server_close()


def test_a_page_shows_the_probabilities_of_a_sample(page, shown):
    _, digit, samples = page
    text = shown("sample=5")
    got = json.loads(re.search(r'data-probabilities="(.*?)"', text)[1])
    assert '<output id="digit">5</output>' in text
    np.testing.assert_allclose(got, digit(samples[5]), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("digit", DRAWN)
def test_a_page_reads_a_digit_that_is_drawn(digit, shown):
    strokes = json.dumps(DRAWN[digit], separators=(",", ":"))
    assert f'<output id="digit">{digit}</output>' in shown(f"strokes={strokes}")
