"""The cost of tests: `costs.txt` has the functions of tests, with the mean time of one test, from 20 ms on: by the
clock, as a test that waits for a process keeps a worker as long, on a machine that is as fast as `ADDITIONS` says. A
test has a line of its own where it belongs to other lanes than the mean of its function does.

`make quick` leaves out those beyond `QUICK`, but for the least of a file up to `OF_A_FILE`, and `make test` begins with
those beyond `LONG`. Cases of a function beyond `OF_CAMPAIGNS`, and functions without cases beyond `LONG`, are of the
campaigns, but for the one of each kind that takes least. A function that the file does not have is quick. `make test
ARGS=--write-costs` measures those of the lane, on an idle machine.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from lab.bench import seconds_of_additions

COSTS = Path(__file__).with_name("costs.txt")
#: Milliseconds on average from which functions are written down.
WRITTEN = 20
#: Milliseconds beyond which tests are not quick, beyond which cases are of the campaigns, and beyond which functions
#: without cases are, and what is left begins first.
LANES = QUICK, OF_CAMPAIGNS, LONG = 30, 100, 1000
#: Milliseconds up to which the test of a file that takes least is quick: what a file is about is tried on each save.
OF_A_FILE = 250
#: Seconds that the additions of `lab.bench` take on the machine whose milliseconds these are.
ADDITIONS = 0.31
#: How many times `QUICK` a test takes that `make quick` lists at its end, and how many it lists.
SLOW, SHOWN = 4, 10
#: The name of a case that is a file, and what a name says that is expected of a case.
_FILE = re.compile(r"[\w/]+]")
_EXPECTED = re.compile(r"(?:^|[-_])(right|wrong|True|False|Verdict\.\w+)]$")
_BEGAN = pytest.StashKey[float]()
_PROPERTY = "time"


def function_of(test: str) -> str:
    """The function that a test is of, by the name of the test."""
    return test.partition("[")[0]


def cost_of(test: str, known: Mapping[str, int]) -> int:
    """Milliseconds that a test takes, as far as that is `known`."""
    return known[test] if test in known else known.get(function_of(test), 0)


def dear_tests(tests: Iterable[str], known: Mapping[str, int]) -> frozenset[str]:
    """The tests that take long, without the one of each kind that takes least. A kind are the cases of a function that
    expect the same, by their names; of those that are files, in one folder; and the functions of a file that have no
    cases."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for test in tests:
        kinds.setdefault(_kind(test), []).append(test)
    found: set[str] = set()
    for alike in kinds.values():
        taken = {test: cost_of(test, known) for test in alike}
        least = min(alike, key=taken.__getitem__)
        bound = OF_CAMPAIGNS if "[" in least else LONG
        found.update(test for test in alike if test != least and taken[test] > bound)
    return frozenset(found)


def least_of_files(tests: Iterable[str], known: Mapping[str, int]) -> frozenset[str]:
    """Of each file of tests the test that takes least, if that is not beyond `OF_A_FILE`."""
    least: dict[str, tuple[int, str]] = {}
    for test in tests:
        file, own = test.partition("::")[0], (cost_of(test, known), test)
        least[file] = min(own, least.get(file, own))
    return frozenset(test for cost, test in least.values() if cost <= OF_A_FILE)


def _kind(test: str) -> tuple[str, str, str]:
    function, _, case = test.partition("[")
    if not case:
        return test.partition("::")[0], "", ""
    folder = case.rpartition("/")[0] if "/" in case and _FILE.fullmatch(case) else ""
    expected = _EXPECTED.search(case)
    return function, folder, expected[1] if expected else ""


def costs() -> dict[str, int]:
    """Milliseconds that one test of a function takes, by function, and by test where it takes much more."""
    lines = (line.split(maxsplit=1) for line in COSTS.read_text(encoding="utf-8").splitlines())
    return {function: int(cost) for cost, function in lines}


class Measuring:
    """A plugin that measures every test, and writes the functions."""

    def __init__(self) -> None:
        self._taken: dict[str, dict[str, float]] = {}
        self._partly: set[str] = set()
        #: Seconds for what several tests share, and for what the test that runs has set up of it.
        self._shared: dict[pytest.FixtureDef[Any], float] = {}
        self._set_up = 0.0
        #: Seconds on the machine of the file for one of this machine, measured before any test begins.
        self._faster = 1.0

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Measure the machine, once for all workers."""
        if not hasattr(session.config, "workerinput"):
            self._faster = ADDITIONS / seconds_of_additions()

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Keep the functions of which not all tests are measured."""
        self._partly.update(function_of(item.nodeid) for item in items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Begin to measure a test."""
        item.stash[_BEGAN] = time.perf_counter()
        self._set_up = 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Measure what several tests share apart: each of them takes it where it runs alone."""
        began, inner = time.perf_counter(), self._set_up
        result = yield
        if fixturedef.scope != "function":
            taken = time.perf_counter() - began - (self._set_up - inner)
            self._shared[fixturedef] = taken
            self._set_up += taken
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Report how long a test has taken."""
        report = yield
        if call.when == "teardown":
            taken = time.perf_counter() - item.stash[_BEGAN] - self._set_up + self._share(item)
            report.user_properties.append((_PROPERTY, (taken, function_of(item.nodeid) in self._partly)))
        return report

    def _share(self, item: pytest.Item) -> float:
        """Seconds for what a test uses that others use as well."""
        if not isinstance(item, pytest.Function):
            return 0.0
        used = item._fixtureinfo.name2fixturedefs.values()
        return sum(self._shared.get(one, 0.0) for several in used for one in several)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what is reported, by a worker as well."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                taken, partly = cast("tuple[float, bool]", value)
                function = function_of(report.nodeid)
                self._taken.setdefault(function, {})[report.nodeid] = 1000 * taken
                if partly:
                    self._partly.add(function)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was measured; what is known of other tests stays."""
        if hasattr(session.config, "workerinput"):
            return
        found = costs() if COSTS.exists() else {}
        for function, taken in self._taken.items():
            counted = {test: cost * self._faster for test, cost in taken.items()}
            if function in self._partly:
                mean = found.get(function, 0)
                found = {name: cost for name, cost in found.items() if name not in taken}
            else:
                mean = round(sum(taken.values()) * self._faster / len(taken))
                found = {name: cost for name, cost in found.items() if function_of(name) != function}
                found[function] = mean
            found |= {test: round(cost) for test, cost in counted.items() if _lane(cost) != _lane(mean)}
        lines = [f"{cost} {name}\n" for name, cost in found.items() if cost >= WRITTEN or "[" in name]
        COSTS.write_text("".join(sorted(lines, key=lambda line: (-int(line.split()[0]), line))), encoding="utf-8")


def _lane(cost: float) -> int:
    """How many of the limits of `LANES` a test is beyond."""
    return bisect_left(LANES, round(cost))
