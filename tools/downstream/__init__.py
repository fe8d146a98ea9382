"""Packages written for Theano, run on this one: their own tests and programs, and those that pass.

Nothing of the packages is kept here: they come from the package index, or from copies of their
repositories. A file of data says where from, what they need and what cannot count, and why.
`python -m tools.downstream --help` lists what can be asked. The parts:

- `packages`: the files in `tests/downstream`, and the lists of ids
- `environments`: a virtual environment and a folder with the sources for each package
- `running`: processes, time limits, results; `plugin` and `shim`: what the processes load
- `scripts`: programs rather than tests, and the numbers that they print; `program` starts them
- `report`: the table for the documents
"""
