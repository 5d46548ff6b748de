"""`python -m lab.checker`: faults put into the checker itself; its tests must notice every one.

Works on a copy of the checkout. One place of one module at a time is changed (`faults`), and the tests that answer for
the module and reach the place run until the first failure (`noticing`). A fault that no test notices is printed with
its line. What a fault does when a module is imported, and what `--fuzz` is asked to notice, has a process of its own.
Campaigns are asked about what `make test` does not notice; faults that they alone notice are listed.

With `--keep FOLDER`, a campaign that was ended goes on where it was; `--portion 2/30` is a part of the faults; with
`--fuzz N`, N random kernels are tried instead of the tests: how much the fuzzer sees.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lab.faults import FaultPlace, places
from lab.portions import Portion, a_portion, in_portion
from nkiverify.foundation import resources

_SYMBOLIC = ("tests/symbolic", "tests/engines/test_embedded.py", "tests/soundness")
_OPERATORS = ("tests/symbolic/test_operators.py", *_SYMBOLIC)
_FRONTEND = ("tests/soundness", "tests/frontend", "tests/campaign")
_LOWERED = tuple(f"tests/engines/esbmc/test_{name}.py" for name in ("meaning", "lowering", "ranges"))
_ESBMC = (*_LOWERED, "tests/engines/esbmc")
_MEMORY = ("tests/memory", "tests/model/test_controls.py")
_DATAFLOW = ("tests/dataflow", "tests/model/test_controls.py")
_VERDICTS = ("tests/soundness/test_ways_to_a_verdict.py", "tests/witness", "tests/soundness")
_NUMBERS = ("tests/values/test_bounds.py", "tests/model/test_controls.py")

#: The modules a verdict rests on, each with the tests that answer for it, the quickest first.
ANSWERING = {
    "nkiverify/symbolic/atoms.py": _SYMBOLIC,
    "nkiverify/symbolic/terms.py": _SYMBOLIC,
    "nkiverify/symbolic/conditions.py": _SYMBOLIC,
    "nkiverify/symbolic/facts.py": _SYMBOLIC,
    "nkiverify/symbolic/elimination.py": _SYMBOLIC,
    "nkiverify/symbolic/integers.py": _OPERATORS,
    "nkiverify/symbolic/booleans.py": _FRONTEND,
    "nkiverify/symbolic/rationals.py": _OPERATORS,
    "nkiverify/symbolic/reals.py": _FRONTEND,
    "nkiverify/symbolic/evaluation.py": _SYMBOLIC,
    "nkiverify/symbolic/enumeration.py": _SYMBOLIC,
    "nkiverify/symbolic/guessing.py": _SYMBOLIC,
    "nkiverify/symbolic/values.py": _OPERATORS,
    "nkiverify/frontend/carried_state.py": _FRONTEND,
    "nkiverify/frontend/summaries.py": _FRONTEND,
    "nkiverify/frontend/snapshot.py": _FRONTEND,
    "nkiverify/frontend/loops.py": _FRONTEND,
    "nkiverify/frontend/explorer.py": _FRONTEND,
    "nkiverify/frontend/paths.py": _FRONTEND,
    "nkiverify/frontend/holders.py": _FRONTEND,
    "nkiverify/symbolic/lists.py": _FRONTEND,
    "nkiverify/frontend/ranges.py": _FRONTEND,
    "nkiverify/engines/embedded.py": ("tests/engines/test_embedded.py", "tests/symbolic", "tests/soundness"),
    "nkiverify/symbolic/smt.py": ("tests/engines/test_embedded.py", "tests/symbolic", "tests/soundness"),
    "nkiverify/engines/esbmc/lowering.py": _ESBMC,
    "nkiverify/engines/esbmc/dialects.py": _ESBMC,
    "nkiverify/engines/esbmc/atom_ranges.py": _ESBMC,
    "nkiverify/engines/esbmc/hypotheses.py": ("tests/engines/test_cross_check.py", *_ESBMC),
    "nkiverify/engines/esbmc/esbmc_verdict.py": ("tests/engines/esbmc/test_verdict.py", *_ESBMC),
    "nkiverify/engines/esbmc/output.py": ("tests/engines/esbmc/test_output.py", *_ESBMC),
    "nkiverify/analysis/effects.py": _DATAFLOW,
    "nkiverify/analysis/sets/flow.py": _DATAFLOW,
    "nkiverify/analysis/sets/transfer.py": _DATAFLOW,
    "nkiverify/analysis/marks/mark_transfer.py": _DATAFLOW,
    "nkiverify/analysis/sets/regions.py": ("tests/dataflow/test_random_views.py", *_DATAFLOW),
    "nkiverify/verify/dataflow_verdict.py": ("tests/soundness/test_ways_to_a_verdict.py", *_DATAFLOW),
    "nkiverify/verify/dataflow_search.py": ("tests/soundness/test_ways_to_a_verdict.py", *_DATAFLOW),
    "nkiverify/analysis/marks/storage_cells.py": _DATAFLOW,
    "nkiverify/analysis/marks/mark_findings.py": _DATAFLOW,
    "nkiverify/analysis/marks/order.py": _DATAFLOW,
    "nkiverify/analysis/marks/shadow.py": _DATAFLOW,
    "nkiverify/analysis/marks/unordered_loops.py": _DATAFLOW,
    "nkiverify/analysis/marks/windows.py": _DATAFLOW,
    "nkiverify/analysis/sets/meetings.py": _DATAFLOW,
    "nkiverify/analysis/sets/unordered.py": _DATAFLOW,
    "nkiverify/phases/dataflow/trial.py": _DATAFLOW,
    "nkiverify/analysis/sets/affine.py": _DATAFLOW,
    "nkiverify/analysis/element_marks.py": _DATAFLOW,
    "nkiverify/analysis/masks.py": _DATAFLOW,
    "nkiverify/analysis/sets/definedness.py": _DATAFLOW,
    "nkiverify/model/dependence.py": _DATAFLOW,
    "nkiverify/phases/memory/claims.py": _MEMORY,
    "nkiverify/analysis/lifetimes/live_intervals.py": _MEMORY,
    "nkiverify/analysis/marks/liveness.py": _DATAFLOW,
    "nkiverify/verify/verdicts.py": _VERDICTS,
    "nkiverify/verify/explorations.py": _VERDICTS,
    "nkiverify/verify/case.py": _VERDICTS,
    "nkiverify/verify/strategy.py": _VERDICTS,
    "nkiverify/verify/verifier.py": _VERDICTS,
    "nkiverify/verify/tolerated.py": _VERDICTS,
    "nkiverify/model/interval_arithmetic.py": _NUMBERS,
    "nkiverify/model/following.py": _NUMBERS,
    "nkiverify/model/contents.py": _NUMBERS,
    "nkiverify/model/indirection.py": _NUMBERS,
}

#: The lanes of tests that are asked, one after the other.
LANES = ("test", "campaigns")

#: What a copy needs.
_FOLDERS = ("nkiverify", "stubs", "kernels", "harness", "controls", "tests", "lab", "dashboard", "docs")
_FILES = ("pyproject.toml", "verify.py", "README.md", "AUDIT.md", "Makefile")


class Copy:
    """A copy of the checkout in which a module can be exchanged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if (folder / "nkiverify").exists():
            return
        for name in (*_FOLDERS, *_FILES):
            source = resources.root() / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy2(source, folder / name)
        compileall.compile_dir(folder / "nkiverify", quiet=2)

    @contextmanager
    def with_fault(self, module: str, place: FaultPlace, tree: ast.Module) -> Iterator[None]:
        """The copy with the fault in it; `tree` is the module's, of which it is a place."""
        path = self.folder / module
        before = path.read_text(encoding="utf-8")
        with place.faulty():
            path.write_text(ast.unparse(tree) + "\n", encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def ends(self, command: Sequence[str], seconds: float = 1e6, lane: str = "test") -> int:
        """The status with which the command, run by this Python in the copy, ends; -1 if it does not end in time. Of
        tests it runs those of `lane`."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": f"--lane {lane}",
        }
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return -1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()


@dataclass(slots=True)
class Tried:
    """One fault, and what has been seen of it."""

    module: str
    number: int
    place: FaultPlace
    by: str = ""
    #: The lane of the test that noticed it.
    lane: str = ""
    tests: int = 0
    at_import: bool = False
    #: The groups of tests that were asked, each with its lane.
    groups: set[tuple[str, str]] = field(default_factory=set)

    def __str__(self) -> str:
        by = self.by or ("AT IMPORT" if self.at_import else "NOT NOTICED" if self.tests else "NOT REACHED")
        return f"{self.module}:{self.place.line}: {self.place.what}: {by}"


class Campaign:
    """Faults of some modules, in a folder in which what was seen is kept."""

    def __init__(self, folder: Path, modules: Sequence[str], each: int, seed: int, portion: Portion = (1, 1)) -> None:
        self.folder = folder
        self.copy = Copy(folder / "copy")
        self.record = folder / "noticed.jsonl"
        self.trees: dict[str, ast.Module] = {}
        self.tried: dict[tuple[str, int], Tried] = {}
        for module in modules:
            tree = ast.parse((self.copy.folder / module).read_text(encoding="utf-8"))
            self.trees[module] = tree
            numbered = list(enumerate(places(tree)))
            if each:
                random.Random(f"{seed}/{module}").shuffle(numbered)
            for number, place in sorted(numbered[:each] if each else numbered, key=lambda item: item[0]):
                if in_portion(f"{module} {number}", portion):
                    self.tried[module, number] = Tried(module, number, place)

    def by_tests(self, budget: float, groups: int, imports: bool) -> None:
        """Ask the first `groups` groups of tests of each module, group after group, and then their campaigns.

        `imports`: also about faults that act when a module is imported, each in a process of its own.
        """
        modules = list(self.trees)
        ranks = range(min(groups, max(len(ANSWERING[module]) for module in modules)))
        for lane, rank in itertools.product(LANES, ranks):
            for group in dict.fromkeys(ANSWERING[module][rank] for module in modules if rank < len(ANSWERING[module])):
                asked = [module for module in modules if ANSWERING[module][rank : rank + 1] == (group,)]
                self._by_group(group, lane, asked, budget, imports)

    def _by_group(self, group: str, lane: str, modules: Sequence[str], budget: float, imports: bool) -> None:
        self._read()
        open_ones = [one for one in self.tried.values() if one.module in modules and not one.by]
        wanted: dict[str, list[int]] = {}
        for one in open_ones:
            if (group, lane) not in one.groups and not one.at_import:
                wanted.setdefault(one.module, []).append(one.number)
        if wanted:
            name = f"{group.replace('/', '-')}.{lane}"
            job = {
                "tests": [group],
                "lane": lane,
                "faults": wanted,
                "modules": list(ANSWERING),
                "budget": budget,
                "reached": str(self.folder / f"{name}.reached"),
                "record": str(self.record),
            }
            path = self.folder / f"{name}.job"
            path.write_text(json.dumps(job), encoding="utf-8")
            self.copy.ends(("-m", "lab.noticing", str(path)), lane=lane)
            self._read()
        for one in open_ones:
            if imports and one.at_import and not one.by and (group, lane) not in one.groups:
                with self.copy.with_fault(one.module, one.place, self.trees[one.module]):
                    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
                    status = self.copy.ends(("-m", "pytest", *options, group), 300.0, lane)
                failed = status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
                self._write(one, group, lane, by=f"{group} (at import)" if failed else "")
        self._read()

    def by_fuzzing(self, count: int, seed: int, seconds: float) -> None:
        """Ask random kernels."""
        fuzz = ("-m", "lab.fuzz", "--count", str(count), "--shrink", "0", "--seed", str(seed))
        for one in self.tried.values():
            with self.copy.with_fault(one.module, one.place, self.trees[one.module]):
                one.by, one.tests = ("fuzz" if self.copy.ends(fuzz, seconds) else ""), count
            print(one, flush=True)

    def _write(self, one: Tried, group: str, lane: str, by: str) -> None:
        said = {"module": one.module, "number": one.number, "group": group, "lane": lane, "by": by, "tests": 1}
        said["at_import"] = True
        with self.record.open("a", encoding="utf-8") as file:
            print(json.dumps(said), file=file)

    def _read(self) -> None:
        if not self.record.exists():
            return
        for line in self.record.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            one = self.tried.get((said["module"], said["number"]))
            if one is not None:
                if said["by"] and not one.by:
                    one.by, one.lane = said["by"], said["lane"]
                one.at_import = said["at_import"]
                one.tests = max(one.tests, said["tests"])
                if not (said["at_import"] and "seconds" in said):
                    one.groups.add((said["group"], said["lane"]))


def _report(campaign: Campaign, imports: bool) -> int:
    """Print what no test of `make test` noticed, and how many of each module; how many no campaign noticed either."""
    left = 0
    rows = []
    for module in campaign.trees:
        lines = (campaign.copy.folder / module).read_text(encoding="utf-8").splitlines()
        tried = [one for one in campaign.tried.values() if one.module == module and (imports or not one.at_import)]
        for one in tried:
            if one.lane != "test" and (imports or not one.at_import):
                print(f"{one}: {lines[one.place.line - 1].strip()}")
        noticed = sum(1 for one in tried if one.by)
        alone = sum(1 for one in tried if one.lane == "campaigns")
        reached = sum(1 for one in tried if one.tests or one.by)
        left += len(tried) - noticed
        by_whom = f"{noticed} noticed, {alone} of them by campaigns alone"
        rows.append(f"{module}: {len(tried)} faults, {by_whom}, {len(tried) - reached} not reached")
    print("\n".join(rows))
    return left


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exits 1 where a fault was not noticed."""
    parser = argparse.ArgumentParser(prog="python -m lab.checker", description=__doc__)
    parser.add_argument("--module", action="append", choices=sorted(ANSWERING), help="the modules; default: all")
    parser.add_argument("--each", type=int, default=10, metavar="N", help="faults of a module, at random; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--budget", type=float, default=20.0, metavar="S", help="seconds of tests of one group")
    parser.add_argument("--groups", type=int, default=9, metavar="N", help="the first N groups of tests only")
    parser.add_argument("--imports", action="store_true", help="also faults that act when a module is imported: slow")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what was seen, and go on from it")
    parser.add_argument("--portion", type=a_portion, default=(1, 1), metavar="K/N", help="a part of the faults")
    parser.add_argument("--fuzz", type=int, metavar="N", help="try N random kernels instead of the tests")
    options = parser.parse_args(arguments)
    folder = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="nkiverify-checker-"))
    try:
        campaign = Campaign(folder, options.module or list(ANSWERING), options.each, options.seed, options.portion)
        if options.fuzz:
            campaign.by_fuzzing(options.fuzz, options.seed, 1800.0)
        else:
            campaign.by_tests(options.budget, options.groups, options.imports)
        left = _report(campaign, options.imports)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"not noticed: {left}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
