"""Which tests run, and how much they check: `--lane` and `--portion`; more with `--hypothesis-profile thorough` and
`--all-shapes`."""

from __future__ import annotations

import compileall
import ctypes
import gc
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from lab.portions import Portion, a_portion, in_portion
from lab.scale import keep_byte_code
from nkiverify.cli.main import rarely_collected
from nkiverify.engines.esbmc import locate
from nkiverify.engines.esbmc.canary import check_once
from nkiverify.engines.esbmc.lowering import TargetLanguage
from nkiverify.foundation.process import with_room
from nkiverify.foundation.resources import root
from nkiverify.project.manifest_targets import load_targets
from nkiverify.run.resident_memory import MEBIBYTE, resident_bytes
from nkiverify.verify.options import PHASES, Options
from nkiverify.verify.verifier import verify
from tests.costs import LONG, QUICK, SHOWN, SLOW, Measuring, cost_of, costs, dear_tests, least_of_files

#: MiB that a process of tests may hold beyond what it held when its garbage was last freed.
_LARGE = 500

_HEALTH = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)

settings.register_profile("suite", max_examples=50, deadline=None, suppress_health_check=_HEALTH, derandomize=True)
settings.register_profile("thorough", max_examples=20_000, deadline=None, suppress_health_check=_HEALTH)
settings.load_profile("suite")

# Shells start what runs in the background deaf to Ctrl-C, and so would be the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: As Python was asked.
_NO_BYTE_CODE = sys.dont_write_bytecode

#: Marks of tests that are of the campaigns, or of `make test`, whatever they take.
_LANE_MARKS = ("campaign", "every_case")
#: Files of tests that import frameworks of hundreds of modules.
_LATE = ("test_browser.py", "test_cluster.py", "test_wheel_worker.py")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once: where $PYTHONDONTWRITEBYTECODE is set, each program that tests start would do so. What
    is made while tests are collected stays, and is not looked through for garbage."""
    gc.disable()
    if not hasattr(config, "workerinput"):
        keep_byte_code()
    config.addinivalue_line("markers", "campaign: a part of a campaign, which `make campaigns` runs")
    config.addinivalue_line("markers", "every_case: a test of which `make test` runs all, however long it takes")
    if config.option.write_costs:
        config.pluginmanager.register(Measuring())
    # Where $PYTHONDONTWRITEBYTECODE is set, each process would rewrite the asserts of all tests anew.
    sys.dont_write_bytecode = False


def pytest_markeval_namespace() -> dict[str, object]:
    """The names of conditions of `skipif` that are texts: asked for where a test runs, as each starts ESBMC."""
    return {"locate": locate}


def pytest_report_header(config: pytest.Config) -> str:
    """The lane, and the portion of the campaigns."""
    lane, (portion, portions) = config.option.lane, config.option.portion
    return f"lane: {lane}" + (f", portion {portion}/{portions}" if lane in ("campaigns", "all") else "")


@pytest.hookimpl(tryfirst=True)  # before pytest orders them, which takes as long as there are many
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the lane, the longest first, so that no process has them left at the end. Put tests last after
    which a process has many more modules: each run of a kernel compares them all."""
    lane, portion = config.option.lane, config.option.portion
    known = costs()
    taken = {item: cost_of(item.nodeid, known) for item in items}
    marked = {item: {mark.name for mark in item.iter_markers()} for item in items}
    dear = dear_tests((item.nodeid for item in items if marked[item].isdisjoint(_LANE_MARKS)), known)
    of_campaigns = {item.nodeid for item in items if item.nodeid in dear or "campaign" in marked[item]}
    least = least_of_files((item.nodeid for item in items if item.nodeid not in of_campaigns), known)
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        quick = taken[item] <= QUICK or item.nodeid in least
        (kept if in_lane(item.nodeid, item.nodeid in of_campaigns, quick, lane, portion) else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    kept.sort(key=lambda item: (item.path.name in _LATE, -taken[item] if taken[item] > LONG else 0))
    items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The tests that are no longer quick: of those that were added since the costs were written, or that have become
    slow."""
    if config.option.lane != "quick":
        return
    taken = {report.nodeid: report.duration for report in terminalreporter.stats.get("passed", ())}
    slow = sorted((test for test in taken if taken[test] > SLOW * QUICK / 1000), key=lambda test: -taken[test])
    if slow:
        terminalreporter.section("no longer quick")
        for test in slow[:SHOWN]:
            terminalreporter.write_line(f"{taken[test]:.2f} s {test}")
        terminalreporter.write_line(
            f"{len(slow)} tests; to measure them, on an idle machine: make quick ARGS=--write-costs"
        )


def in_lane(test: str, of_campaigns: bool, quick: bool, lane: str, portion: Portion) -> bool:
    """True if a lane has this test: `quick` what is no campaign and takes no long, `test` what is no campaign,
    `campaigns` one portion of what is, `all` `test` and that portion."""
    if not of_campaigns:
        return lane != "campaigns" and (lane != "quick" or quick)
    return lane in ("campaigns", "all") and in_portion(test, portion)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options: which tests, every shape of every bounded target, and new texts where tests compare whole
    ones."""
    parser.addoption("--lane", choices=("quick", "test", "campaigns", "all"), default="test", help="which tests to run")
    parser.addoption("--portion", type=a_portion, default=(1, 1), metavar="K/N", help="the part of the campaigns")
    parser.addoption("--write-costs", action="store_true", help="measure the tests, and write tests/costs.txt")
    parser.addoption("--all-shapes", action="store_true", help="run every shape of every bounded target concretely")
    parser.addoption("--new-answers", action="store_true", help="write what tests compare with anew, to be read")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Load what verifying takes once: each process that runs a kernel is forked from this one. What is there from now
    on is no garbage, and is not looked through again; and collections are as rare as in the program as it is typed."""
    gc.enable()
    sys.dont_write_bytecode = _NO_BYTE_CODE
    if session.items and not session.config.option.collectonly:
        options = Options(root=root(), phases=tuple(PHASES))
        for target in load_targets(root(), [root() / "harness" / "tensor_add.py"]):
            verify(target, options)
        gc.collect()
        gc.freeze()
        rarely_collected()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Give the calls of a test room, as those of a command have it."""
    own = pyfuncitem.obj
    pyfuncitem.obj = with_room(own)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = own


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """Free what a large run of a test left: its objects are in cycles, which Python finds late where arrays are few and
    large, the later the more objects a process has; one came to 7 GB, and each child that it forks begins with that."""
    result = yield
    if _resident() > _held[0] + _LARGE * MEBIBYTE:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        _held[0] = _resident()
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker process reports of a test that passes that it has, and nothing else: of six messages each wakes the
    process that they are for, which took a third of the time of quick tests."""
    options = item.config.option
    in_full = options.xmlpath or options.write_costs or options.durations or options.verbose > 0
    if not hasattr(item.config, "workerinput") or in_full:
        return None
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    passed = all(report.passed for report in reports)
    for report in reports:
        if not passed or report.when == "call":
            item.ihook.pytest_runtest_logreport(report=report)
    return True


#: Bytes that the process held when its garbage was last freed.
_held = [0]


def _resident() -> int:
    return (resident_bytes(os.getpid()) or 0) if sys.platform == "linux" else 0


@pytest.fixture(scope="session")
def tried_esbmc() -> None:
    """ESBMC is tried before a test changes what it answers: what comes of that is kept in the user's cache, and would
    have it refused by all processes from then on."""
    found = locate.find()
    if found is not None:
        for language in TargetLanguage if found.has_python else (TargetLanguage.C,):
            check_once(found, language)


@pytest.fixture(scope="session")
def wheel_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that an installation of the wheel fills."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=root(), check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    compileall.compile_dir(folder / "site", quiet=2)
    return folder / "site"
