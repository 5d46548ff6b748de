"""The cost of tests: `costs.txt` has the functions of tests, with the mean processor time of one test, from 20 ms on.
A test that takes much more than the others of its function has a line of its own.

`make quick` leaves out those from `QUICK` on, and `make test` begins with those that take longest. Cases of a function
that take `DEAR_CASE` or more are of the campaigns, but for the one of each kind that takes least. A function that the
file does not have is quick. `make test ARGS=--write-costs` measures them and the campaigns, on an idle machine.
"""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

COSTS = Path(__file__).with_name("costs.txt")
#: Milliseconds on average from which functions are written down, and from which their tests are not quick.
WRITTEN, QUICK = 20, 50
#: Milliseconds from which a case is of the campaigns where the same is asserted of one that takes less.
DEAR_CASE = 100
#: How many times as long as the others of its function a test takes that has a line of its own.
DEAR = 3
#: The name of a case that is a file, and what a name says that is expected of a case.
_FILE = re.compile(r"[\w/]+]")
_EXPECTED = re.compile(r"(?:^|[-_])(right|wrong|True|False|Verdict\.\w+)]$")
_BEGAN = pytest.StashKey[float]()
_PROPERTY = "processor time"


def function_of(test: str) -> str:
    """The function that a test is of, by the name of the test."""
    return test.partition("[")[0]


def cost_of(test: str, known: Mapping[str, int]) -> int:
    """Milliseconds that a test takes, as far as that is `known`."""
    return known.get(test, known.get(function_of(test), 0))


def dear_cases(tests: Iterable[str], known: Mapping[str, int]) -> frozenset[str]:
    """The cases that take long, without the one of each kind that takes least. A kind are the cases of a function that
    expect the same, by their names; of those that are files, in one folder."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for test in tests:
        function, _, case = test.partition("[")
        if case:
            folder = case.rpartition("/")[0] if _FILE.fullmatch(case) else ""
            expected = _EXPECTED.search(case)
            kinds.setdefault((function, folder, expected[1] if expected else ""), []).append(test)
    found: set[str] = set()
    for cases in kinds.values():
        least = min(cases, key=lambda test: cost_of(test, known))
        found.update(test for test in cases if test != least and cost_of(test, known) >= DEAR_CASE)
    return frozenset(found)


def costs() -> dict[str, int]:
    """Milliseconds that one test of a function takes, by function, and by test where it takes much more."""
    lines = (line.split(maxsplit=1) for line in COSTS.read_text(encoding="utf-8").splitlines())
    return {function: int(cost) for cost, function in lines}


class Measuring:
    """A plugin that measures every test, and writes the functions."""

    def __init__(self) -> None:
        self._taken: dict[str, dict[str, float]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Begin to measure a test."""
        item.stash[_BEGAN] = sum(os.times()[:4])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Report what a test and the processes that it started have taken."""
        report = yield
        if call.when == "teardown":
            report.user_properties.append((_PROPERTY, sum(os.times()[:4]) - item.stash[_BEGAN]))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what is reported, by a worker as well."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                self._taken.setdefault(function_of(report.nodeid), {})[report.nodeid] = 1000 * float(str(value))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was measured; what is known of other functions stays."""
        if hasattr(session.config, "workerinput"):
            return
        found = costs() if COSTS.exists() else {}
        found = {name: cost for name, cost in found.items() if function_of(name) not in self._taken}
        for taken in self._taken.values():
            found |= _of_function(taken)
        lines = [f"{cost} {name}\n" for name, cost in found.items() if cost >= WRITTEN]
        COSTS.write_text("".join(sorted(lines, key=lambda line: (-int(line.split()[0]), line))), encoding="utf-8")


def _of_function(taken: Mapping[str, float]) -> dict[str, int]:
    """The cost of a function whose tests have taken so long, and of those that took much more than the others."""
    dear = max(QUICK, DEAR * statistics.median(taken.values()))
    apart = {test: round(cost) for test, cost in taken.items() if cost > dear}
    (function,) = {function_of(test) for test in taken}
    others = [cost for test, cost in taken.items() if test not in apart]
    return {function: round(sum(others) / len(others)), **apart}
