"""The tests of Theano 1.0.5 on this package, and the list of those that pass: it only grows.

The tests are taken from an installed Theano into a temporary room; none of them is kept here.
`python -m tools.original --help` lists what can be asked. The parts:

- `lists`: the ids that count, that pass, that are left out and why
- `room`: the environment with Theano 1.0.5, and the folder in which the tests run
- `running`: processes, time limits, results
- `plugin`, `loading`, `missing`, `outdated`, `private`: what the processes load
- `report`: why a test fails, and the tables
"""
