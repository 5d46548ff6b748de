"""Which tests are of the campaigns, by what they take."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lab.quick_packages import raising
from tests.costs import ADDITIONS, LONG, OF_A_FILE, OF_CAMPAIGNS, QUICK, Measuring, costs, dear_tests, least_of_files

QUICKER, DEAR = OF_CAMPAIGNS, OF_CAMPAIGNS + 1


def test_a_case_that_takes_long_is_of_the_campaigns_where_one_takes_less() -> None:
    known = {"a.py::f[1]": QUICKER, "a.py::f[2]": DEAR, "a.py::f[3]": 10 * DEAR, "a.py::g": DEAR}
    assert dear_tests(known, known) == {"a.py::f[2]", "a.py::f[3]"}


def test_the_least_of_cases_that_all_take_long_stays() -> None:
    known = {"a.py::f[1]": 2 * DEAR, "a.py::f[2]": DEAR, "a.py::g[1]": 9 * DEAR}
    assert dear_tests(known, known) == {"a.py::f[1]"}


def test_one_stays_of_each_folder_and_of_each_answer() -> None:
    names = ("in_a/x_right", "in_a/y_right", "in_a/x_wrong", "in_b/x_right", "n / 2-True", "n / 3-False", "n / 4-True")
    cases = [f"a.py::f[{name}]" for name in names]
    assert dear_tests(cases, dict.fromkeys(cases, DEAR)) == {"a.py::f[in_a/y_right]", "a.py::f[n / 4-True]"}


def test_of_the_functions_of_a_file_the_least_and_those_stay_that_do_not_take_long() -> None:
    known = {"a.py::f": LONG, "a.py::g": LONG + 1, "b.py::f": LONG + 1, "b.py::g": LONG + 2, "b.py::h[1]": LONG}
    assert dear_tests(known, known) == {"a.py::g", "b.py::g"}


def test_what_is_not_known_takes_nothing_and_the_mean_of_a_function_counts_for_its_cases() -> None:
    cases = ["a.py::f[1]", "a.py::f[2]", "a.py::g[1]", "a.py::g[2]"]
    assert dear_tests(cases, {"a.py::f": DEAR}) == {"a.py::f[2]"}


def test_the_least_of_each_file_is_quick_unless_it_takes_long() -> None:
    known = {"a.py::f": OF_A_FILE, "a.py::g": OF_A_FILE + 1, "b.py::f": OF_A_FILE + 1, "c.py::f": 2, "c.py::f[1]": 1}
    assert least_of_files([*known, "c.py::f[2]"], known) == {"a.py::f", "c.py::f[1]"}


def test_what_was_not_measured_keeps_its_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "costs.txt"
    file.write_text(f"{DEAR} a.py::f\n{9 * DEAR} a.py::f[9]\n{DEAR} a.py::g\n{DEAR} a.py::g[3]\n")
    monkeypatch.setattr("tests.costs.COSTS", file)
    measured = Measuring()
    for name, seconds, partly in (("f[1]", 0.001, True), ("f[2]", 0.3, True), ("g[1]", 0.001, False)):
        report = SimpleNamespace(nodeid=f"a.py::{name}", user_properties=[("time", (seconds, partly))])
        measured.pytest_runtest_logreport(cast(Any, report))
    measured.pytest_sessionfinish(cast(Any, SimpleNamespace(config=object())))
    assert costs() == {"a.py::f": DEAR, "a.py::f[9]": 9 * DEAR, "a.py::f[1]": 1}


def test_costs_are_those_of_the_usual_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.costs.COSTS", tmp_path / "costs.txt")
    monkeypatch.setattr("tests.costs.seconds_of_additions", lambda: 2 * ADDITIONS)
    measured = Measuring()
    session = cast(Any, SimpleNamespace(config=object()))
    measured.pytest_sessionstart(session)
    report = SimpleNamespace(nodeid="a.py::f", user_properties=[("time", (4 * QUICK / 1000, False))])
    measured.pytest_runtest_logreport(cast(Any, report))
    measured.pytest_sessionfinish(session)
    assert costs() == {"a.py::f": 2 * QUICK}


def test_every_function_of_a_broken_package_raises() -> None:
    names: dict[str, Any] = {}
    exec(raising("class A:\n    def f(self):\n        return 1\n\ndef g(n: int = 3) -> int:\n    return n\n"), names)
    for call in (names["A"]().f, names["g"]):
        with pytest.raises(RuntimeError, match="broken"):
            call()
    assert raising("LIMIT = 3  # in bytes\n") == "LIMIT = 3  # in bytes\n"
