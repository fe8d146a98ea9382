"""Every program of the tests, compiled for chips that are not there: `python -m tools.hardware`.

The lists in `tests/hardware` say what compiles, and why the rest does not. They only grow.
"""
