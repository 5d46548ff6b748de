"""`python -m lab.noticing JOB`: which of some tests notices each of some faults (see `checker`).

The tests are collected once. A first fork runs them all, with every statement of the modules in question marked, and
says which test reaches which statement and what it costs. Then each fault has a fork of its own, in which the tests
that reach it run, the cheapest first, until one fails.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from lab.exchange import Loaded
from lab.faults import marked, places

#: Bytes of address space a fork may have.
_MEMORY = 8 << 30

#: Random examples of a property. The suite has 100.
_EXAMPLES = 40


@dataclass(frozen=True, slots=True)
class Job:
    """The job of one process. `faults` are positions in `places` of each module."""

    tests: tuple[str, ...]
    #: The lane that they are of.
    lane: str
    faults: dict[str, list[int]]
    #: Seconds of tests (CPU) that one fault may have.
    budget: float
    #: Where what the tests reach is kept from one process to the next.
    reached: str
    #: To which a line of JSON is added for every fault.
    record: str


@dataclass(slots=True)
class Reach:
    """The cost of one test, in seconds of CPU, and the statements it reaches: lines by module."""

    seconds: float
    lines: dict[str, list[int]]


@dataclass(slots=True)
class Plugin:
    """Runs the faults of a job in place of the tests."""

    job: Job
    modules: Sequence[str]
    noticed: Counter[str] = field(default_factory=Counter)

    def pytest_collection(self) -> None:
        # A failing example need not be the smallest, and what is found is mostly found soon.
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("faults", settings.get_profile("suite"), phases=phases, max_examples=_EXAMPLES)
        settings.load_profile("faults")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        # Those that are imported late as well, which have no functions before.
        for module in self.modules:
            importlib.import_module(module.removesuffix(".py").replace("/", "."))
        loaded = {module: Loaded(Path(module).resolve()) for module in self.modules}
        reach = self._reach(session.items, loaded)
        items = {item.nodeid: item for item in session.items if item.nodeid in reach}
        for module, numbers in self.job.faults.items():
            all_places = places(loaded[module].tree)
            for number in numbers:
                place = all_places[number]
                tests = self._tests(reach, module, place.statement)
                started = time.monotonic()
                with place.faulty():
                    at_import = loaded[module].runs_at_import()
                    by = "" if at_import else self._by(loaded[module], [items[name] for name in tests], reach)
                self.noticed[by] += 1
                said = {"module": module, "number": number, "by": by, "tests": len(tests), "at_import": at_import}
                said |= {"group": self.job.tests[0], "lane": self.job.lane}
                with Path(self.job.record).open("a", encoding="utf-8") as file:
                    print(json.dumps({**said, "seconds": round(time.monotonic() - started, 1)}), file=file)
        return True

    def _tests(self, reach: dict[str, Reach], module: str, line: int) -> list[str]:
        """The tests that reach a line of a module, those first that cost little and have noticed much."""
        tests = [name for name, what in reach.items() if line in what.lines.get(module, ())]
        tests.sort(key=lambda name: reach[name].seconds / (1 + 3 * self.noticed[name]))
        spent = 0.0
        for position, name in enumerate(tests):
            spent += reach[name].seconds
            if spent > self.job.budget and position > 0:
                return tests[:position]
        return tests

    def _by(self, module: Loaded, items: list[pytest.Item], reach: dict[str, Reach]) -> str:
        if not items:
            return ""
        seconds = sum(reach[item.nodeid].seconds for item in items)

        def run(say: Callable[[str], None]) -> None:
            module.take()
            for item, following in zip(items, [*items[1:], None], strict=True):
                say(f"?{item.nodeid}\n")
                if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                    say(f"!{item.nodeid}\n")
                    return
            say(".\n")

        said = _forked(run, cpu=30 + 5 * seconds, wall=120 + 40 * seconds).splitlines()
        if said and said[-1] == ".":
            return ""
        # A test that did not end, or whose process died, noticed as well.
        last = said[-1] if said else "?"
        return last[1:] if last.startswith("!") else f"{last[1:]} (did not end)"

    def _reach(self, items: list[pytest.Item], loaded: dict[str, Loaded]) -> dict[str, Reach]:
        kept = Path(self.job.reached)
        if kept.exists():
            return {name: Reach(**what) for name, what in json.loads(kept.read_text(encoding="utf-8")).items()}

        def run(say: Callable[[str], None]) -> None:
            if not items:  # the group has none of this lane
                return
            lines: dict[str, set[int]] = {module: set() for module in loaded}
            for module, what in loaded.items():
                what.tree = marked(what.tree)
                what.mark(lines[module].add)
                what.take()
            for item, following in zip(items, [*items[1:], None], strict=True):
                for reached in lines.values():
                    reached.clear()
                before = os.times()
                reports = runtestprotocol(item, log=False, nextitem=following)
                after = os.times()
                if all(report.passed for report in reports):
                    found = {module: sorted(reached) for module, reached in lines.items() if reached}
                    seconds = sum(after[:4]) - sum(before[:4])
                    say(json.dumps([item.nodeid, seconds, found]) + "\n")
                elif any(report.failed for report in reports):
                    say(json.dumps([f"failed without a fault: {item.nodeid}", 0.0, {}]) + "\n")

        reach = {}
        for line in _forked(run, cpu=7200, wall=7200).splitlines():
            name, seconds, found = json.loads(line)
            reach[name] = Reach(seconds, found)
        failing = [name for name in reach if name.startswith("failed")]
        for name in failing:
            print(name, file=sys.stderr)
            del reach[name]
        kept.write_text(json.dumps({name: asdict(what) for name, what in reach.items()}), encoding="utf-8")
        return reach


def _forked(run: Callable[[Callable[[str], None]], None], cpu: float, wall: float) -> str:
    """The answer of `run` in a process of its own, which may use so many seconds."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(reading)
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            run(lambda text: (os.write(writing, text.encode()), None)[1])
            status = 0
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(status)
    os.close(writing)
    said = bytearray()
    until = time.monotonic() + wall
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
            part = pipe.read(1 << 16)
            if not part:
                break
            said += part
    # Whatever the tests have started goes with it.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return said.decode()


def main(arguments: Sequence[str]) -> int:
    """Do the job of a file."""
    document = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    modules = document.pop("modules")
    job = Job(**{**document, "tests": tuple(document["tests"])})
    options = ("-q", "-p", "no:cacheprovider", "--dist=no", f"--basetemp={job.reached}.tmp")
    return int(pytest.main([*options, *job.tests], plugins=[Plugin(job, modules)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
