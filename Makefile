# Every command of the project; `make help` reads the `##` comments.
PYTHON ?= python
SHARED ?= ../shared
JOBS ?= 2
MINUTES ?= 90

.DEFAULT_GOAL := help
.PHONY: help setup stubs check test test-xla conformance original original-quick downstream names proofs gallery bench bench-peers size status release docs docs-html links hardware nightly

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  \1|/' | \
	  awk -F'|' '{ printf "%-14s%s\n", $$1, $$2 }'

setup:  ## install the checkout, editable, with what development needs
	$(PYTHON) -m pip install -e '.[dev,docs]'
	$(PYTHON) -m pre_commit install

stubs:  ## module.pyi beside each public module, from its table of names
	$(PYTHON) tools/stubs.py

check:  ## before a merge: lint, format, types, layers, all tests but the slow ones (many minutes)
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -q tests/architecture
	$(PYTHON) -m pytest -q -n $(JOBS) -m 'not slow' --ignore=tests/architecture

test:  ## every test
	$(PYTHON) -m pytest -q -n $(JOBS)

test-xla:  ## the tests that run programs through jax
	$(PYTHON) -m pytest -q -n $(JOBS) -m xla

conformance:  ## the documents' own examples, against the list of those that pass
	$(PYTHON) tools/conformance.py --shared $(SHARED) --jobs $(JOBS)

original:  ## the tests of Theano 1.0.5, against the list of those that pass (an hour)
	$(PYTHON) -m tools.original --shared $(SHARED) --jobs $(JOBS)

downstream:  ## the tests of packages written for Theano, against the lists of those that pass (long)
	$(PYTHON) -m tools.downstream --shared $(SHARED) --jobs $(JOBS) $(DOWNSTREAM)

original-quick:  ## of the same tests, quick modules and a sample (three minutes)
	$(PYTHON) -m tools.original --shared $(SHARED) --jobs $(JOBS) --quick

names:  ## documented names: carried, absent with a reason, missing
	$(PYTHON) tools/names.py --shared $(SHARED) --groups

proofs:  ## prove rules, and try equations on more floats and passes on more graphs (MINUTES=90)
	$(PYTHON) -m tools.proofs --functions --variations $(MINUTES) --cases $(MINUTES) --passes $(MINUTES) --mutants $(MINUTES) --exhaust $(MINUTES) --write

gallery:  ## run the programs of the gallery, and write their pictures (minutes)
	$(PYTHON) tools/gallery.py --write

bench:  ## benchmarks; prints figures, keeps nothing
	@for file in $(filter-out benchmarks/timing.py,$(wildcard benchmarks/*.py)); do \
	  if [ -f "$$file" ]; then echo "== $$file"; $(PYTHON) "$$file"; else echo "no benchmarks"; fi; \
	done

bench-peers:  ## compare with JAX, PyTensor, PyTorch, CasADi and NumPy (45 min), into docs/performance/peers.md
	$(PYTHON) benchmarks/peers/run.py --write $(PEERS)

status:  ## the tables and the chart of the first page, from the lists that the tests hold
	$(PYTHON) -m tools.status --shared $(SHARED) --write

release:  ## wheel and sdist, installed and used on every Python that is here; needs the network (10 min)
	$(PYTHON) -m tools.release --environments --write --folder dist

size:  ## lines per layer and file, number of specs
	$(PYTHON) tools/size.py

docs:  ## run every example in the docs and in docstrings
	$(PYTHON) -m pytest -q tests/docs

docs-html:  ## these pages and the reference made from docstrings, as HTML in build/docs/html
	$(PYTHON) -m sphinx -b html -W --keep-going -q -j $(JOBS) -d build/docs/doctrees docs build/docs/html

links: docs-html  ## every link of these pages and of the Markdown files resolves; ONLINE=--online asks other sites
	$(PYTHON) tools/links.py build/docs/html $(ONLINE)

hardware:  ## every OpSpec, its gradient, and whole programs for chips that are not here, against tests/hardware; CHIPS=v5e MIRRORS=... for old packages; needs plan.python (hours; goes on where it ended)
	nice -n 10 $(PYTHON) -m tools.hardware $(CHIPS) --write $(if $(MIRRORS),--mirrors $(MIRRORS))

nightly:  ## random programs by the thousand, on every engine; processes killed at random; goes on where build/nightly.jsonl ends
	$(PYTHON) -m tests.properties.nightly --jobs $(JOBS) $(NIGHTLY)
	$(PYTHON) -m tests.distributed.nightly
	$(PYTHON) -m tests.compile.nightly_checkpoint
	THEANO_TEST_FILES=600 $(PYTHON) -m pytest -q tests/compile/test_graph_file.py -k "damaged or random_graphs"
	THEANO_TEST_KILLS=100 $(PYTHON) -m pytest -q tests/engines/xla/test_disk_cache.py tests/c_code/test_library_cache.py -k "killed or kills or processes"
	THEANO_TEST_FAULTS=1000 $(PYTHON) -m pytest -q tests/engines/xla/test_state_after_errors.py -k injected
	THEANO_TEST_COPIES=2000 $(PYTHON) -m pytest -q tests/compile/test_function_copies.py -k families
	THEANO_TEST_DISAGREE=50 $(PYTHON) -m pytest -q tests/distributed/test_processes.py -k disagree
	THEANO_TEST_GUEST=all $(PYTHON) -m pytest -q tests/engines/test_guest.py
	THEANO_TEST_LENGTHS=1 $(PYTHON) -m pytest -q tests/ops/index/test_narrow_indices.py
