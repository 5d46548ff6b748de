"""A sample of the campaign of hostile inputs: what must be true of every run is true of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from lab.hostile.bench import Bench
from lab.hostile.inputs import Input, inputs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux")

#: Named: what was wrong once. Of every kind that has none the first one is tried.
SAMPLE = {
    "ends its process": ("kernel: import os; os._exit(0)", "loop: import signal; signal.raise_signal(15)"),
    "threads, clocks and signals": (
        "module: import threading; threading.Thread(target=exec, args=('import os; os.remove(\"victim\")',)).start()",
        "kernel: import atexit, os; atexit.register(os._exit, 0)",
        "kernel: import atexit; atexit.register(exec, 'raise BaseException')",
    ),
    "raises": (
        "module: raise BaseException('shape')",
        "loop: raise GeneratorExit",
        "helper: raise StopIteration",
    ),
    "reads files and folders": (
        "kernel: import os; sorted(['.'], key=os.listdir)",
        "loop: import os; max(os.walk('.'))",
    ),
    "objects that misbehave": ("helper: type('D', (), {'__del__': lambda self: 1 / 0})()",),
    "changes Python itself": ("kernel: import builtins; builtins.isinstance = lambda *a: True",),
    "arguments and huge numbers": (
        "check k.py::k --arg a=bf16[P,F] --timeout 1e300 --phase 1",
        "check k.py::k --arg a=bf16[P,F] --memory 99999999999999999999 --phase 1 --timeout 5",
    ),
    "full disks and read-only folders": (
        "check --help, stdout /dev/full",
        "check k.py --phase 1 --json out.json, file_size 0",
    ),
    "prints": ("kernel: import sys; sys.stdout.buffer.write(b'::error::none\\n')",),
}


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def sample() -> list[Input]:
    """One input of every kind, or those that are named."""
    found: list[Input] = []
    for one in inputs():
        named = SAMPLE.get(one.kind)
        if one.name in named if named is not None else one.kind not in {other.kind for other in found}:
            found.append(one)
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the inputs where they are tried: thousands, of which few are."""
    if "one" in metafunc.fixturenames:
        tried = sample() if metafunc.config.option.lane in ("campaigns", "all") else []
        metafunc.parametrize("one", tried, ids=lambda one: f"{one.kind}: {one.name}"[:80])


@pytest.mark.campaign
def test_whatever_it_is_given(one: Input, bench: Bench) -> None:
    tried = bench.tried(one)
    if tried.skipped:
        pytest.skip(tried.skipped)
    # How long it took depends on what else the machine does.
    assert [defect for defect in tried.defects if "after its limit" not in defect] == [], tried.output


def test_the_campaign_has_inputs_of_every_kind_and_no_two_that_are_the_same() -> None:
    counted = Counter((one.kind, one.name, one.command, tuple(one.files.items())) for one in inputs())
    assert sum(counted.values()) >= 400
    assert [name for name, count in counted.items() if count > 1] == []
    named = {(kind, name) for kind, names in SAMPLE.items() for name in names}
    assert named <= {(one.kind, one.name) for one in inputs()}


def test_what_has_no_end_among_the_files_of_a_folder_is_passed_over(bench: Bench) -> None:
    odd = [one for one in inputs() if one.kind == "named pipes and odd files" and "check" in one.command]
    chosen = [one for one in odd if "'a.py': 'link:/dev/zero'" in one.name or "'other.py': 'fifo:'" in one.name]
    assert len(chosen) == 2
    for one in chosen:
        tried = bench.tried(one)
        assert (tried.status, "SUCCESSFUL" in tried.output or "is legal" in tried.output) == (0, True), tried.output
