"""`python -m lab.repairs`: single-edit mutants, and whether `nkiverify repair` gives the kernel back.

Half are of the corpus (kernels/), half of first contact: the bugs that are planted there, and mutants, as a seed
chooses. A mutant of which `check` finds nothing wrong is none that could be repaired, and is left out. The reference is
the kernel as it was. The first patch is compared apart from what `repair` says of it: it has the text of the kernel, or
`equiv` finds it EQUAL with other inputs than it was found with.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.audit import with_measured_section
from lab.first_contact import cases
from lab.mutation import good_targets
from lab.operators import sites
from nkiverify.foundation import resources
from nkiverify.foundation.allowed import NOTHING
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.products.repair.patches import RepairAnswer, RepairQuestion
from nkiverify.products.repair.repair import repaired
from nkiverify.project.discovery import kernels_in
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report.columns import columns
from nkiverify.run.confinement import Confinement
from nkiverify.run.supervisor import Stopped, in_child
from nkiverify.verify.options import Options

#: Seconds of processor time for the check, those within which edits are looked for, and those of the clock and in all
#: after which it ends.
CHECK, SEARCH, CLOCK, PROCESSOR = 20.0, 30.0, 600.0, 60.0
#: The seed of the inputs that a patch is compared on.
_SEED = 7
#: The section of a page that the table is written into.
_SECTION = "repairs"


@dataclass(frozen=True, slots=True)
class Mutated:
    """A kernel with one edit: the text of its file as it was and as it is, and what became what."""

    name: str
    kernel: str
    before: str
    after: str
    change: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result for one mutant: `first` is the kind of the first patch, `seconds` the processor time."""

    name: str
    change: str
    first: str
    kind: str
    seconds: float
    tried: int
    detail: str


def mutants(seed: int) -> Iterator[Mutated]:
    """Mutants without end, by turns of the corpus and of first contact."""
    source = random.Random(seed)
    planted = cases()
    corpus = sorted({one.kernel for one in good_targets(load_targets(resources.root()), "*")})
    while True:
        reference = source.choice(corpus)
        path, _, kernel = reference.partition("::")
        if "(" in kernel or "." in kernel:
            continue
        yield from _mutant(source, Path(path).stem, (resources.root() / path).read_text(encoding="utf-8"), kernel)
        case = source.choice(planted)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "kernel.py").write_text(case.text, encoding="utf-8")
            kernel = kernels_in(Path(folder) / "kernel.py")[-1].name
        if source.random() < 0.5:
            wrong = next((line for line in case.wrong.splitlines() if line not in case.text.splitlines()), "")
            yield Mutated(case.name, kernel, case.text, case.wrong, f"planted: {wrong.strip()}")
        else:
            yield from _mutant(source, case.name, case.text, kernel)


def _mutant(source: random.Random, name: str, text: str, kernel: str) -> Iterator[Mutated]:
    plain = ast.unparse(ast.parse(text)) + "\n"
    by_operator: dict[str, list[object]] = {}
    for site in sites(plain, kernel):
        by_operator.setdefault(site.operator, []).append(site)
    if by_operator:
        operator = source.choice(sorted(by_operator))
        found = source.choice(by_operator[operator]).mutant()  # type: ignore[attr-defined]
        yield Mutated(name, kernel, plain, found.source, f"{operator}: {found.change}")


def tried(one: Mutated) -> Repaired | None:
    """The result for one mutant; None where nothing is found to be wrong with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernel.py").write_text(one.after, encoding="utf-8")
        (folder / "reference.py").write_text(one.before, encoding="utf-8")
        asked = RepairQuestion(
            f"kernel.py::{one.kernel}", folder, against=f"reference.py::{one.kernel}", seconds=SEARCH
        )

        def work() -> tuple[RepairAnswer, float, str]:
            begin = time.process_time()
            try:
                found = repaired(asked, Options(root=folder, largest_range=True, timeout=CHECK))
            except (UsageError, UnsupportedConstruct) as error:
                return RepairAnswer(asked.reference, str(error), False), 0.0, ""
            seconds = time.process_time() - begin
            described = first_patch(one, found, folder) if found.patches else "nothing"
            return found, seconds, described

        found = in_child(one.name, work, CLOCK, Confinement.of(NOTHING, [folder]), None, 2 * PROCESSOR)
    if isinstance(found, Stopped):
        return Repaired(one.name, one.change, "nothing", "", 2 * PROCESSOR, 0, str(found))
    answer, seconds, described = found
    if not answer.wrong:
        return None
    first = answer.patches[0] if answer.patches else None
    detail = f"{first.said}; {first.equal}" if first is not None else answer.said
    kind = first.kind if first is not None else ""
    return Repaired(one.name, one.change, described, kind, round(seconds, 2), answer.tried, detail)


def first_patch(one: Mutated, found: RepairAnswer, folder: Path) -> str:
    """The kind of the first patch: the "original" text; "equal", an assert that leaves all that was meant among them;
    "different"; an "assert" that leaves less; or "legal", not compared."""
    from nkiverify.frontend.target import OutsideDomain
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.equiv.at_shapes import at_all
    from nkiverify.products.equiv.compared_shapes import chosen_dimensions
    from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
    from nkiverify.products.equiv.equivalence import Comparer
    from nkiverify.products.equiv.paired_runs import Side
    from nkiverify.project.inference import inferred_for
    from nkiverify.project.request import request

    first = found.patches[0]
    text = first.text(one.after)
    if ast.dump(ast.parse(text)) == ast.dump(ast.parse(one.before)):
        return "original"
    (folder / "patched.py").write_text(text, encoding="utf-8")
    inferred = inferred_for("reference.py", one.kernel, folder, ())
    given = [*inferred.arguments, *inferred.with_dtypes({})]
    pair = [
        request(f"{file}.py::{one.kernel}", folder, dict.fromkeys(given), (), inferred.grid or None)  # type: ignore[arg-type]
        for file in ("patched", "reference")
    ]
    hardware = inferred.hardware or "trn2"

    def compared(dimensions: dict[str, int], legal_only: bool) -> KernelComparison:
        sides = [Side(each.reference, each, dimensions) for each in pair]
        return Comparer(sides[0], sides[1], hardware_named(hardware), _SEED, None, legal_only).compare(reals=False)

    told = dict(re.findall(r"(\w+) = (\d+)", first.equal.rpartition(" at ")[2]))
    said: set[EquivalenceAnswer] = set()
    try:
        shapes = chosen_dimensions(pair, hardware)
        answers, _ = at_all(shapes, compared)
        if answers[0][1].legal is not None and answers[0][1].legal.answer is EquivalenceAnswer.NO and told:
            # No shape of the domain, as the text of the kernel does not say it.
            answers = [({}, compared({name: int(value) for name, value in told.items()}, False))]
        said = {finding.answer for _, each in answers for finding in each.findings()}
    except (UsageError, UnsupportedConstruct, OutsideDomain):
        return "assert" if first.kind == "assert" else "legal"
    if EquivalenceAnswer.NO in said:
        return "assert" if first.kind == "assert" else "different"
    if first.kind == "assert" and (first.caution or not first.whole):
        return "assert"
    return "equal" if EquivalenceAnswer.UNKNOWN not in said else "legal"


def report(found: Sequence[Repaired]) -> str:
    """The table, and the figures that are asked for."""
    rows = [
        (one.name, one.change.replace("|", "\\|")[:70], one.first, one.kind, str(one.tried), f"{one.seconds:.1f}")
        for one in found
    ]
    heads = ("kernel", "mutant", "first patch", "edit", "edits run", "s")
    table = columns(heads, rows, ("left",) * 4 + ("right",) * 2)
    return f"{table}\n\n{summary(found)}"


def summary(found: Sequence[Repaired]) -> str:
    """The figures in a sentence."""
    if not found:
        return "no mutant was tried"
    good = sum(one.first in ("original", "equal") for one in found)
    original = sum(one.first == "original" for one in found)
    wrong = sum(one.first == "different" for one in found)
    seconds = [one.seconds for one in found]
    return (
        f"{len(found)} mutants: the kernel as it was is the first patch for {original}, an equal one for "
        f"{good - original}, together {good / len(found):.0%}; {wrong} first patches compute something else; "
        f"processor time: median {statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s"
    )


def table(found: Sequence[Repaired]) -> str:
    """The table for a page."""
    lines = ["| kernel | mutant | first patch | edit | edits run | s |", "|---|---|---|---|--:|--:|"]
    for one in found:
        change = one.change.replace("|", "\\|")
        lines.append(f"| {one.name} | `{change}` | {one.first} | {one.kind} | {one.tried} | {one.seconds:.1f} |")
    return "\n".join([*lines, "", summary(found)])


def main(words: Sequence[str] | None = None) -> int:
    """Try as many mutants as are asked for, and print what became of them; 1 where a patch computes something else."""
    parser = argparse.ArgumentParser(prog="python -m lab.repairs", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: %(default)s)")
    parser.add_argument("--log", type=Path, help="a file of JSON lines; mutants that it has are not tried again")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into its section of a page")
    options = parser.parse_args(words)
    known = {}
    if options.log is not None and options.log.exists():
        known = {json.loads(line)["key"]: json.loads(line) for line in options.log.read_text().splitlines()}
    found: list[Repaired] = []
    for number, one in enumerate(mutants(options.seed)):
        if len(found) >= options.count:
            break
        key = f"{number} {one.name} {one.change}"
        if key in known:
            row = known[key]["found"]
            result = Repaired(**row) if row is not None else None
        else:
            result = tried(one)
            if options.log is not None:
                with options.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "found": asdict(result) if result else None}) + "\n")
        if result is not None:
            found.append(result)
            print(f"{one.name}: {one.change}: {result.first} ({result.seconds:.1f} s)", file=sys.stderr, flush=True)
    print(report(found))
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(with_measured_section(page, _SECTION, table(found)), encoding="utf-8")
    return 1 if any(one.first == "different" for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
