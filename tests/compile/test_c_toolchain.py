"""The helpers of the tests of exported C find what they should."""

import pytest

from tests.compile.c_toolchain import (
    BITS_32,
    SANITIZERS,
    STRICT,
    STRICT_CPP,
    THREAD_SANITIZER,
    compiled,
    needed,
    needed_flags,
    printed,
    size_of_object,
    valgrind,
)

SUM = "int sum(const int *x, int n) { int s = 0, i; for (i = 0; i < n; i++) s += x[i]; return s; }"
MAIN = """#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int *x = (int *)malloc(3 * sizeof *x), s = 0, i;
    if (x == NULL) return 1;
    for (i = 0; i < 3; i++) x[i] = i + 1;
    for (i = 0; i < COUNT; i++) s += x[i];
    printf("%d, %d bytes\\n", s, (int)sizeof(void *));
    free(x);
    return 0;
}
"""
RACE = """#include <pthread.h>
int total;
static void *add(void *unused) { (void)unused; total++; return NULL; }
int main(void) {
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""


def program(folder, text, *flags, compiler=None, **options):
    source = folder / "program.c"
    source.write_text(text)
    return compiled(compiler or needed(), [source], folder / "program", *flags, **options)


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_a_program_runs_as_c_and_as_c_plus_plus(name, tmp_path):
    compiler = needed(name)
    for flags, cpp in ((STRICT, False), (STRICT_CPP, True)):
        made = program(tmp_path, MAIN, "-DCOUNT=3", *flags, compiler=compiler, cpp=cpp)
        assert printed(made).startswith("6, ")


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_a_program_has_pointers_of_four_bytes(name, tmp_path):
    compiler = needed(name)
    flags = needed_flags(compiler, *BITS_32)
    made = program(tmp_path, MAIN, "-DCOUNT=3", *flags, compiler=compiler)
    assert printed(made) == "6, 4 bytes\n"


def test_warnings_and_extensions_are_errors(tmp_path):
    for text in ("int main(void) { int unused; return 0; }", "int main(void) { return ({ 0; }); }"):
        with pytest.raises(AssertionError, match="error"):
            program(tmp_path, text, *STRICT)


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_sanitizers_find_a_read_behind_the_end(name, tmp_path):
    compiler = needed(name)
    flags = needed_flags(compiler, *SANITIZERS)
    made = program(tmp_path, MAIN, "-DCOUNT=4", *flags, compiler=compiler)
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        printed(made)
    made = program(tmp_path, MAIN, "-DCOUNT=3", *flags, compiler=compiler)
    assert printed(made).startswith("6, ")


def test_a_sanitizer_finds_a_race(tmp_path):
    compiler = needed("gcc", "clang")
    made = program(tmp_path, RACE, *needed_flags(compiler, *THREAD_SANITIZER), compiler=compiler)
    with pytest.raises(AssertionError, match="data race"):
        printed(made)


def test_valgrind_finds_a_read_behind_the_end_and_a_leak(tmp_path):
    checked = valgrind()
    made = program(tmp_path, MAIN, "-g", "-DCOUNT=3")
    assert printed(made, under=checked).startswith("6, ")
    made = program(tmp_path, MAIN, "-g", "-DCOUNT=4")
    with pytest.raises(AssertionError, match="Invalid read of size 4"):
        printed(made, under=checked)
    made = program(tmp_path, MAIN.replace("free(x);", "x = NULL;"), "-g", "-DCOUNT=3")
    with pytest.raises(AssertionError, match="definitely lost"):
        printed(made, under=checked)


def test_the_size_of_an_object_counts_its_constants(tmp_path):
    (tmp_path / "sum.c").write_text(SUM)
    small = compiled(needed(), [tmp_path / "sum.c"], tmp_path / "sum.o", "-Os", "-c")
    (tmp_path / "sum.c").write_text(SUM + "\nconst double more[100] = {1};")
    large = compiled(needed(), [tmp_path / "sum.c"], tmp_path / "more.o", "-Os", "-c")
    assert size_of_object(large) - size_of_object(small) >= 800
