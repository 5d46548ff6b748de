"""Which cases of tests are of the campaigns, by what they take."""

from __future__ import annotations

from tests.costs import DEAR_CASE, QUICK, costs, dear_cases

QUICKER, DEAR = DEAR_CASE - 1, DEAR_CASE


def test_a_case_that_takes_long_is_of_the_campaigns_where_one_takes_less() -> None:
    known = {"a.py::f[1]": QUICKER, "a.py::f[2]": DEAR, "a.py::f[3]": 10 * DEAR, "a.py::g": DEAR}
    assert dear_cases(known, known) == {"a.py::f[2]", "a.py::f[3]"}


def test_the_least_of_cases_that_all_take_long_stays() -> None:
    known = {"a.py::f[1]": 2 * DEAR, "a.py::f[2]": DEAR, "a.py::g[1]": 9 * DEAR}
    assert dear_cases(known, known) == {"a.py::f[1]"}


def test_one_stays_of_each_folder_and_of_each_answer() -> None:
    names = ("in_a/x_right", "in_a/y_right", "in_a/x_wrong", "in_b/x_right", "n / 2-True", "n / 3-False", "n / 4-True")
    cases = [f"a.py::f[{name}]" for name in names]
    assert dear_cases(cases, dict.fromkeys(cases, DEAR)) == {"a.py::f[in_a/y_right]", "a.py::f[n / 4-True]"}


def test_what_is_not_known_takes_nothing_and_the_mean_of_a_function_counts_for_its_cases() -> None:
    cases = ["a.py::f[1]", "a.py::f[2]", "a.py::g[1]", "a.py::g[2]"]
    assert dear_cases(cases, {"a.py::f": DEAR}) == {"a.py::f[2]"}


def test_no_quick_test_is_of_the_campaigns_by_what_it_takes() -> None:
    assert QUICK <= DEAR_CASE
    assert costs()
