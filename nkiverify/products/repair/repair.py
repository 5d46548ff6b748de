"""The search for small edits that mend a kernel.

Edits near what is wrong are tried on shapes for which the kernel fails, then on those for which it does not. The domain
of what is left is derived and proved as that of any kernel, and what it computes is compared as `equiv` compares.
Nothing is right because it is an edit: what is said of a patch is what is said of the kernel with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf, prod
from pathlib import Path
from typing import TypeVar

from nkiverify.engines.rounds import rounds
from nkiverify.engines.shapes import Shapes, domain_of
from nkiverify.foundation.budget import RepairBudget
from nkiverify.foundation.clock import counting, now
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.frontend.domain.expressions import condition, names_in
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import OutsideDomain
from nkiverify.frontend.trees import reading_instead
from nkiverify.frontend.trees import source as text_of_file
from nkiverify.model.hardware import hardware_named
from nkiverify.products.derive import domain_text, proposals
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.products.derive.legality import answer
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, shown
from nkiverify.products.derive.statements import Derived
from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.products.equiv.references import Reference, load_reference
from nkiverify.products.repair.edits import Edit, edits_of
from nkiverify.products.repair.kernel_source import KernelSource
from nkiverify.products.repair.nearness import distances, functions_near
from nkiverify.products.repair.patches import (
    ASSERT,
    Patch,
    RepairAnswer,
    RepairQuestion,
    Replacement,
    with_replacements,
)
from nkiverify.products.repair.ranking import EditWithDomain, PassingEdit, is_whole, is_wrong, unchecked
from nkiverify.products.repair.surroundings import surroundings
from nkiverify.project.discovery import kernels_in, mentions_nki
from nkiverify.project.request import Request, parameters_of, request
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options

_Found = TypeVar("_Found")


def _or_none(work: Callable[[], _Found]) -> _Found | None:
    """The result of what is done with a kernel, most often one with an edit; None where it cannot be: an edit of which
    that is so is none that mends anything."""
    try:
        return work()
    except (UsageError, UnsupportedConstruct, OutsideDomain):
        return None


#: The name that the text of a kernel as it is has besides its edits.
_BEFORE = "_nkiverify_as_it_is"


def repaired(asked: RepairQuestion, options: Options, found: DomainAnswer | None = None) -> RepairAnswer:
    """Look for edits that mend a kernel; `found` is what `check` has found, where it has been asked."""
    with counting(True):
        return _Repair(asked, replace(options, unhurried=True), found).run()


class _Repair:
    def __init__(self, asked: RepairQuestion, options: Options, found: DomainAnswer | None) -> None:
        self._asked = asked
        self._options = options
        self._started = now()
        path, _, self._name = asked.reference.partition("::")
        self._file = (asked.base / path).resolve()
        self._text = text_of_file(self._file).decode()
        self._found = found or self._checked(asked.arguments, options.timeout)
        #: Since when edits are searched for.
        self._began = now()
        self._hardware = hardware_named(self._found.hardware)
        #: Inputs that are read wholly.
        self._whole: frozenset[str] = frozenset()
        self._tried = 0
        self._late = False

    # --- the parts of the search --------------------------------------------------------------------------------------

    def run(self) -> RepairAnswer:
        """Search."""
        said = domain_text.headline(self._found, self._asked.base)
        if not is_wrong(self._found):
            return RepairAnswer(self._asked.reference, said, False, seconds=now() - self._started)
        self._whole = self._read_wholly()
        failing, passing = self._shapes()
        alive = self._alive(failing, passing)
        found = self._with_domains(alive)
        patches = [self._patch(one) for one in found][: RepairBudget.PATCHES]
        notes: list[Patch] = []
        if not any(one.whole for one in patches):
            # Asserts first where they leave nothing that fails, and an edit does that was not there before.
            patches = sorted([*patches, *self._asserts()], key=lambda one: (not one.left, not one.whole))
            if not self._asked.against and any(one.caution for one in patches):
                # Of a kernel that has to be square, or to have one tile, what it computes there says little: neither
                # that nor what computes something else is written into a file.
                others = (self._patch(one) for one in self._with_domains(alive, other=True))
                notes = [one for one in others if one.whole][: RepairBudget.PATCHES]
                if notes:
                    notes += [one for one in patches if one.caution]
                    patches = [one for one in patches if not one.caution]
        return RepairAnswer(
            self._asked.reference,
            said,
            True,
            tuple(patches),
            tuple(notes),
            self._tried,
            len(alive),
            now() - self._started,
            self._late,
        )

    def _spent(self) -> float:
        return (now() - self._began) / self._asked.seconds

    def _read_wholly(self) -> frozenset[str]:
        """The inputs that the kernel reads wholly at some shape for which it passes."""
        derived = self._found.derived
        ran = derived.ran if derived is not None else ()
        passing = (values for values, kind in ran if kind == ShapeOutcome.PASSES.value)
        found = (self._shown(self._request(), one) for one in islice(passing, RepairBudget.SHAPES_THAT_PASS))
        return frozenset(name for one in found if one is not None for name in one.whole)

    def _shapes(self) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
        """Shapes for which the kernel fails that are likely to be meant, and such for which it does not."""
        derived = self._found.derived
        violations = [one for run in self._found.runs for one in run.violations]
        reported = [one.values for one in (*violations, *(derived.bugs if derived is not None else ()))]
        ran = derived.ran if derived is not None else ()
        reported += [
            one.failure.values for one in (derived.preconditions if derived else ()) if one.failure is not None
        ]
        reported += [one.dropped_at for one in (derived.preconditions if derived else ()) if one.dropped is not None]
        passing = [values for values, kind in ran if kind == ShapeOutcome.PASSES.value]
        if derived is not None and derived.proved:
            # A shape outside of the domain may pass as it leaves out a part of an input.
            passing = [values for values in passing if _hold(derived.where, values)]
        failing = [values for values, kind in ran if kind == ShapeOutcome.FAILS.value]
        if self._has_kernel:
            asked = self._kernel()
            # What the reference takes is what is meant.
            rejected = [values for values, kind in ran if kind == ShapeOutcome.REJECTED.value]
            chosen = self._chosen(asked)
            meant = self._taken_by_reference(
                _each(*chosen, *reported, *failing, *rejected), RepairBudget.SHAPES_THAT_FAIL
            )
            meant += self._taken_by_reference(passing, RepairBudget.SHAPES_THAT_PASS)
            failing, passing = self._parted(meant)
            if not failing:
                found = self._passing_of_reference()
                failing, more = self._parted(self._taken_by_reference(_each(*found), len(found)))
                passing += more
            return failing[: RepairBudget.SHAPES_THAT_FAIL], passing[: RepairBudget.SHAPES_THAT_PASS]
        if derived is None or derived.proved:
            known = _each(*self._apart(derived), *reported, *failing)
        else:
            # Where nothing passes, that a shape comes further says more than that it is small.
            known = _each(*self._chosen(self._request())[:1], *failing, *reported)
        return known[: RepairBudget.SHAPES_THAT_FAIL], passing[: RepairBudget.SHAPES_THAT_PASS]

    def _apart(self, derived: Derived | None) -> Iterator[dict[str, int]]:
        """Shapes beyond the relations of two dimensions that a domain asks for, one for each, of whole tiles: rows and
        columns that the kernel mistakes for one another differ by more than one."""
        if derived is None:
            return
        stated = [one for one in derived.preconditions if not one.verbatim]
        tiles = [f"{name} % {value} == 0" for name, value in derived.example.items() if value > 1]
        for one in stated:
            if not one.is_unchecked or len({each.id for each in names_in(parse("--where", one.text)[1])}) < 2:
                continue
            others = [each.text for each in stated if each is not one]
            asked = _or_none(partial(self._request, where=[*others, *tiles, f"not ({one.text})"]))
            yield from self._chosen(asked)[:1] if asked is not None else ()

    def _parted(self, meant: Sequence[dict[str, int]]) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
        """The shapes for which the kernel fails, and those for which it passes, the smallest first."""
        passing = [one for one in meant if self._passes(self._request(), one)]
        ordered = sorted(meant, key=lambda one: prod(one.values()))
        return [one for one in ordered if one not in passing], [one for one in ordered if one in passing]

    def _taken_by_reference(self, shapes: Sequence[dict[str, int]], most: int) -> list[dict[str, int]]:
        """This many of the shapes, at most, for which the reference, a kernel, passes, in the time there is for it."""
        found: list[dict[str, int]] = []
        asked, until = self._kernel(), now() + RepairBudget.SECONDS_OF_CHOOSING
        for one in shapes:
            if len(found) >= most or (found and now() > until):
                break
            if self._passes(asked, one):
                found.append(one)
        return found

    def _passing_of_reference(self) -> list[dict[str, int]]:
        """Shapes for which the reference, a kernel, passes, of those that its domain is derived from. Where it has the
        names of the kernel's parameters, what it is given then is given to both."""
        names = [list(parameters_of(one, self._asked.base)) for one in (self._asked.reference, self._asked.against)]
        given = self._asked.arguments if names[0] == names[1] else self._given_to_reference()
        grid = self._asked.grid or self._found.grid
        found = self._checked(given, self._options.timeout, grid, self._asked.against)
        if names[0] == names[1]:
            self._found = replace(self._found, arguments=found.arguments, hardware=found.hardware)
            self._hardware = hardware_named(found.hardware)
        ran = found.derived.ran if found.derived is not None else ()
        passing = [values for values, kind in ran if kind == ShapeOutcome.PASSES.value]
        return passing or self._chosen(self._kernel(found.arguments))

    def _chosen(self, asked: Request) -> list[dict[str, int]]:
        """Shapes of the domain of a kernel at which its loops go round twice and its conditions either way."""
        target, limits = asked.target(self._found.hardware, False), Limits(seconds=RepairBudget.SECONDS_OF_CHOOSING)
        explored = _or_none(lambda: explore(target, self._hardware, limits))
        if explored is None:
            return []
        program = explored.run.program
        if not program.dimensions:
            return [{}]
        assumed = domain_of(program, explored.assumptions)
        shapes = Shapes(program.dimensions, assumed)
        return list(
            rounds(program, shapes.dimensions, assumed, shapes.tried(), RepairBudget.SECONDS_OF_CHOOSING).shapes
        )

    @property
    def _has_kernel(self) -> bool:
        """True if the reference is a kernel."""
        if not self._asked.against:
            return False
        path, _, name = self._asked.against.partition("::")
        file = (self._asked.base / path).resolve()
        # A file of kernels may have functions of NumPy's arrays too, which say what they compute.
        return mentions_nki(file) and name.partition("[")[0] in {one.name for one in kernels_in(file)}

    def _given_to_reference(self) -> list[str]:
        """The arguments of the kernel, for the parameters of the reference: those of its names, or at its places."""
        own = list(parameters_of(self._asked.reference, self._asked.base))
        theirs = list(parameters_of(self._asked.against, self._asked.base))
        given = []
        for text in self._found.arguments:
            name, _, value = text.partition("=")
            at = own.index(name.strip()) if name.strip() in own else len(theirs)
            other = name.strip() if name.strip() in theirs else theirs[at] if at < len(theirs) else name
            given.append(f"{other}={value}")
        return given

    def _kernel(self, given: Sequence[str] | None = None) -> Request:
        """The reference that is a kernel, with what it is given."""
        given = self._given_to_reference() if given is None else given
        asked = self._asked
        return request(asked.against, asked.base, given, asked.where, self._found.grid or None)

    def _reference(self) -> Request | Reference:
        return self._kernel() if self._has_kernel else load_reference(self._asked.against, self._asked.base)

    def _passes(self, asked: Request, values: Mapping[str, int]) -> bool:
        """True if a kernel passes, and leaves nothing of an input out that is read where the kernel as it is passes."""
        found = self._shown(asked, values)
        return found is not None and found.kind is ShapeOutcome.PASSES and not found.dropped(self._whole)

    def _shown(self, asked: Request, values: Mapping[str, int]) -> ConcreteResult | None:
        target = asked.target(self._found.hardware, False)
        seconds, work = RepairBudget.SECONDS_OF_A_RUN, RepairBudget.WORK_OF_A_RUN
        return _or_none(lambda: shown(target, values, self._hardware, seconds, work, stop_at_first=True))

    def _edits(self) -> Iterator[tuple[float, Edit, str]]:
        """The edits, the likeliest first, each text once."""
        source = KernelSource(self._text)
        lines = self._lines()
        functions = list(functions_near(source, self._name.partition("[")[0].rpartition(".")[2], lines))
        placed = [(statement, around) for one in functions for statement, around in surroundings(source, one)]
        far = distances([statement for statement, _ in placed], lines)
        every = [
            (edit.size + RepairBudget.SIZE_OF_A_STEP_AWAY * far[statement], edit)
            for statement, around in placed
            for edit in edits_of(statement, around)
        ]
        seen = {self._text}
        for cost, edit in sorted(every, key=lambda pair: pair[0]):
            text = with_replacements(source.text, edit.replacements)
            if text not in seen:
                seen.add(text)
                yield cost, edit, text

    def _lines(self) -> set[int]:
        """The lines of the kernel's file that findings name."""
        derived = self._found.derived
        violations = [one for run in self._found.runs for one in run.violations]
        violations += derived.bugs if derived is not None else ()
        places = []
        for one in derived.preconditions if derived is not None else ():
            if one.failure is not None:
                violations.append(one.failure)
            places += [each.site for each in one.dead]
            if (one.dropped is not None or one.failure is not None) and one.site is not None:
                places.append(one.site)
        found = {(one.file, one.line) for one in violations}
        found |= {(label.site.file, label.site.line) for one in violations for label in one.labels}
        found |= {(one.file, one.line) for one in places}
        return {line for file, line in found if file and Path(file).resolve() == self._file}

    def _alive(self, failing: Sequence[dict[str, int]], passing: Sequence[dict[str, int]]) -> list[PassingEdit]:
        """The edits that pass on shapes for which the kernel fails, and fail on none for which it passes."""
        found: list[PassingEdit] = []
        every = self._has_kernel
        for cost, edit, text in self._edits() if failing else ():
            if self._spent() > RepairBudget.SHARE_OF_RUNS:
                self._late = True
                break
            if (
                cost
                > min((one.cost for one in found if not one.other), default=inf) + RepairBudget.SIZE_BEYOND_THE_LEAST
            ):
                break
            if not _is_python(text):
                continue
            self._tried += 1
            passes = self._tried_on(text, failing, passing, every)
            if passes:
                with reading_instead(self._file, text):
                    mended = [one for one in failing if every or self._passes(self._request(), one)]
                    found.append(PassingEdit(edit, text, cost, passes, *self._compared(mended, passing)))
        return sorted(found, key=lambda one: (-one.passes, one.cost))

    def _tried_on(
        self, text: str, failing: Sequence[dict[str, int]], passing: Sequence[dict[str, int]], every: bool
    ) -> int:
        """How many shapes an edit passes on; 0 where it does not mend any, or breaks one. With `every` it has to pass
        on all of them."""
        with reading_instead(self._file, text):
            asked = _or_none(self._request)
            if asked is None:
                return 0
            passes = 0
            for values in failing:
                if self._passes(asked, values):
                    passes += 1
                elif every:
                    return 0
            if not passes:
                return 0
            for values in passing:
                if not self._passes(asked, values):
                    return 0
            return passes + len(passing)

    def _request(self, reference: str = "", where: Sequence[str] = ()) -> Request:
        """The kernel, or that of another reference, with what it is given, within conditions."""
        asked, given = self._asked, self._found
        within = (*asked.where, *where)
        return request(reference or asked.reference, asked.base, given.arguments, within, given.grid or None)

    def _checked(
        self, arguments: Sequence[str], seconds: float, grid: str | None = None, reference: str = ""
    ) -> DomainAnswer:
        return answer(
            reference or self._asked.reference,
            self._asked.base,
            arguments,
            self._asked.where,
            self._asked.grid if grid is None else grid,
            self._asked.hardware,
            replace(self._options, timeout=seconds),
        )

    def _with_domains(self, alive: Sequence[PassingEdit], *, other: bool = False) -> list[EditWithDomain]:
        """The best edits, with their domains: those that compute what is wanted, as far as that is known, or `other`
        ones."""
        found: list[EditWithDomain] = []
        for one in (each for each in alive if each.other is other):
            left = self._asked.seconds * (1 - self._spent())
            if len(found) >= RepairBudget.DOMAINS or (
                found and self._spent() > RepairBudget.SHARE_UNTIL_THE_LAST_DOMAIN
            ):
                self._late = True
                break
            given = self._found
            with reading_instead(self._file, one.text):
                seconds = max(RepairBudget.LEAST_SECONDS, left / 2)
                domain = _or_none(partial(self._checked, given.arguments, seconds, given.grid))
                if domain is None:
                    continue
                equal, differs = self._compared_within(domain)
            if differs:
                continue
            found.append(EditWithDomain(replace(one, equal=equal or one.equal), domain))
            if is_whole(domain) and not found[-1].wastes:
                # What comes later is further away, or passes on less.
                break
        return sorted(found, key=lambda one: one.order)

    def _compared(self, mended: Sequence[dict[str, int]], passing: Sequence[dict[str, int]]) -> tuple[str, bool]:
        """The thing that the kernel, as it is read now, is found to compute, and whether another one is wanted:
        as the reference says, on shapes that are `mended` too, or else the kernel as it is where that passes."""
        if self._asked.against:
            return self._equal_to(
                self._reference(), self._asked.against, [*mended[: RepairBudget.SHAPES_COMPARED], *passing[:1]]
            )
        before = self._file.with_name(f"{self._file.stem}{_BEFORE}.py")
        with reading_instead(before, self._text):
            other = _or_none(lambda: self._request(f"{before}::{self._name}"))
            if other is None:
                return "", False
            return self._equal_to(other, "the kernel as it is", passing[:1])

    def _compared_within(self, found: DomainAnswer) -> tuple[str, bool]:
        """The same on a shape of the domain of the kernel as it is read now at which loops go round twice, all of them
        if there is one: one that fails may be too small to show that rows are taken in another order."""
        derived = found.derived
        if not self._asked.against or derived is None:
            return "", False
        asked = self._request(where=[one.text for one in derived.preconditions if not one.verbatim and not one.bound])
        chosen = self._chosen(asked)
        passing = [values for values, kind in derived.ran if kind == ShapeOutcome.PASSES.value]
        together = _together([*chosen, *sorted(passing, key=lambda one: prod(one.values()))[:1]])
        shapes = [one for one in _each(*together, *chosen) if self._passes(asked, one)]
        if self._has_kernel:
            shapes = self._taken_by_reference(shapes, 1)
        return self._equal_to(self._reference(), self._asked.against, shapes[:1])

    def _equal_to(
        self, reference: Request | Reference, name: str, shapes: Sequence[dict[str, int]]
    ) -> tuple[str, bool]:
        """The comparison with a reference on shapes."""
        asked = self._request()
        proved = bool(shapes)
        for number, values in enumerate(shapes):
            one, other = Side(asked.reference, asked, values), Side(name, reference, values)
            found = _or_none(partial(self._comparison, one, other, reals=number == 0))
            if found is None:
                return "", False
            if any(finding.answer is EquivalenceAnswer.NO for finding in found.findings()):
                return f"DIFFERENT from {name}: read it, as nothing says what is meant", True
            if found.floats is None or found.floats.answer is EquivalenceAnswer.UNKNOWN:
                return "", False
            proved = proved and (found.reals is None or found.reals.answer is EquivalenceAnswer.YES)
        if not shapes:
            return "", False
        how = "over the reals and in floating point" if proved else "in floating point, on one random input"
        where = ", ".join(f"{key} = {value}" for key, value in shapes[0].items())
        return f"equal to {name} {how}" + (f" at {where}" if where else ""), False

    def _comparison(self, one: Side, other: Side, *, reals: bool) -> KernelComparison:
        return Comparer(one, other, self._hardware, 0, None).compare(reals=reals)

    # --- what is reported ---------------------------------------------------------------------------------------------

    def _patch(self, one: EditWithDomain) -> Patch:
        said = domain_text.headline(one.found, self._asked.base)
        return Patch(
            one.alive.edit.kind,
            one.alive.edit.line,
            one.alive.edit.replacements,
            said,
            is_whole(one.found),
            one.alive.equal,
            left=self._left(one),
        )

    def _left(self, one: EditWithDomain) -> tuple[str, ...]:
        """The conditions that the kernel does not check with an edit that leaves what it computes as it is, where they
        ask for less than those that it does not check without: at all shapes that either was run for."""
        left, before = unchecked(one.found), unchecked(self._found)
        ran = [values for found in (self._found, one.found) if found.derived for values, _ in found.derived.ran]
        held = [(_hold(before, values), _hold(left, values)) for values in ran]
        grows = (False, True) in held and (True, False) not in held and not one.wastes and bool(one.alive.equal)
        dead = any(each.dead for each in (one.found.derived.preconditions if one.found.derived else ()))
        return left if grows and not dead else ()

    def _asserts(self) -> list[Patch]:
        """The asserts that the kernel lacks: what it fails for is refused. Nothing else mends it where some leave less
        of it than was meant, which is said."""
        found = self._found
        derived = found.derived
        dead = [each for one in (derived.preconditions if derived else ()) for each in one.dead]
        lacking = proposals.lacking(found, self._asked.base) or (
            proposals.lacking(found, self._asked.base, with_dead=True) if dead else None
        )
        function = proposals.definition(self._asked.reference, self._asked.base)
        if lacking is None or function is None:
            return []
        lines = self._text.splitlines(keepends=True)
        at = len("".join(lines[: lacking.after]))
        indent = " " * function.body[0].col_offset
        added = Replacement(at, at, "".join(f"{indent}{one}\n" for one in lacking.asserts))
        text = with_replacements(self._text, [added])
        with reading_instead(self._file, text):
            domain = _or_none(lambda: self._checked(found.arguments, self._options.timeout, found.grid))
        if domain is None:
            return []
        caution = "; ".join(dict.fromkeys(f"{one.text} (line {one.site.line})" for one in dead))
        said = domain_text.headline(domain, self._asked.base)
        return [Patch(ASSERT, lacking.after + 1, (added,), said, is_whole(domain), caution=caution)]


def _hold(texts: Iterable[str], values: Mapping[str, int]) -> bool:
    """True if conditions of `--where` hold at a shape."""
    return all(condition(parse("--where", text)[1], values) is True for text in texts)


def _each(*shapes: Mapping[str, int]) -> list[dict[str, int]]:
    """Shapes, each once."""
    return [dict(one) for one in dict.fromkeys(tuple(shape.items()) for shape in shapes)]


def _together(shapes: Sequence[Mapping[str, int]]) -> Iterator[dict[str, int]]:
    """A shape as many times as large as the least of each dimension as all of `shapes` are together, and one as large
    as the largest of them."""
    if len(shapes) > 1:
        least = {name: min(one[name] for one in shapes) for name in shapes[0]}
        yield {name: number * prod(one[name] // max(number, 1) for one in shapes) for name, number in least.items()}
        yield {name: max(one[name] for one in shapes) for name in least}


def _is_python(text: str) -> bool:
    try:
        compile(text, "kernel", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
