"""What every test shares: a repeatable Hypothesis, and no flags from outside."""

import os

from hypothesis import HealthCheck, settings

# Whoever runs the tests may have flags or an rc file of their own: results must not hang on them.
os.environ.pop("THEANO_FLAGS", None)
os.environ["THEANORC"] = os.devnull

# One example may be slow by chance: no deadline, and the same examples each run.
settings.register_profile(
    "theano", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("theano")
