"""The example estimator keeps scikit-learn's contract, and learns in a pipeline under a search."""

import sys
from pathlib import Path

import pytest

estimator_checks = pytest.importorskip("sklearn.utils.estimator_checks")
HOME = Path(__file__).parents[2]


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(HOME / "examples"))
    import sklearn_classifier

    yield sklearn_classifier
    sys.modules.pop("sklearn_classifier")


@pytest.mark.slow
def test_the_estimator_passes_every_check_of_scikit_learn(program):
    model = program.PerceptronClassifier(n_hidden=8, max_iter=20, random_state=0)
    found = estimator_checks.check_estimator(model, on_fail=None, on_skip=None)
    assert len(found) > 40
    wrong = {r["check_name"]: r["exception"] for r in found if r["status"] == "failed"}
    assert not wrong
    skipped = {r["check_name"] for r in found if r["status"] == "skipped"}
    # for want of a flag of SciPy's, and of pandas
    assert skipped <= {"check_array_api_input", "check_classifier_data_not_an_array"}


@pytest.mark.slow
def test_a_search_over_a_pipeline_learns_the_digits(program):
    accuracy, search = program.main(quiet=True)
    assert accuracy > 0.96
    assert "| `sklearn_classifier.py` | over 96 %" in (HOME / "examples" / "README.md").read_text()
    assert search.best_params_["perceptronclassifier__penalty"] == 1e-4
