"""A set of small programs with known verdicts, to try an ESBMC with before it is believed.

They use what the lowering emits and nothing else: floor division and modulus of negative numbers, minima, conditional
values, products beyond 32 bits, loops that are unwound, one in the other, or stand for one iteration, branches, and
hypotheses that end with their iteration. Of two similar claims one holds and one does not: a build that proves
everything is found out as well as one that refutes everything.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any

from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import esbmc_process, output
from nkiverify.engines.esbmc.engine import START_SECONDS, EsbmcEngine
from nkiverify.engines.esbmc.flags import Flags, Strategy
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.lowering import Arithmetic, Plan, TargetLanguage, lower
from nkiverify.engines.esbmc.output import Conclusion, PropertyKind
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.resources import cache_folder
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Assume, Block, Branch, Claim, DomainDimension, Loop, Program
from nkiverify.symbolic import all_of, any_of, implies, maximum, minimum, select, terms
from nkiverify.symbolic.atoms import Term

#: What is said of a claim that there was no time for.
_NO_TIME = ("time-out", Conclusion.TIMED_OUT.value)


#: Largest 32-bit integer, and its square: a product that does not fit 32 bits.
_LARGE = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Wrong:
    """A claim that an ESBMC decides wrongly, or does not decide. `case` says in words what it is about."""

    case: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.case}: should be {self.expected}, is {self.found}"


@dataclass(slots=True)
class _Builder:
    """Writes a program with claims whose outcome is known."""

    program: Program = field(default_factory=Program)
    expected: dict[int, Outcome] = field(default_factory=dict)
    _blocks: list[Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._blocks.append(self.program.body)

    def dimension(self, name: str, low: int, high: int) -> Any:
        """A variable of the domain with its range."""
        value: Any = terms.dimension(name)
        (atom,) = value.atoms
        self.program.dimensions.append(DomainDimension(atom, low, high))
        self.assume(value >= low)
        self.assume(value <= high)
        return value

    def assume(self, condition: Any) -> None:
        """A hypothesis of the rest of the block."""
        self._blocks[-1].items.append(Assume(condition))

    def proved(self, case: str, condition: Any) -> None:
        """A claim that holds."""
        self._claim(case, condition, Outcome.PROVED)

    def refuted(self, case: str, condition: Any) -> None:
        """A claim that does not hold."""
        self._claim(case, condition, Outcome.REFUTED)

    def _claim(self, case: str, condition: Any, outcome: Outcome) -> None:
        number = len(self.expected) + 1
        self.expected[number] = outcome
        contract = Contract(case, case, "nkiverify.engines.esbmc.canary")
        self._blocks[-1].items.append(Claim(number, contract, condition, 1, None, ""))

    def loop(self, name: str, extent: Any, body: Callable[[Any], None]) -> None:
        """A loop; `body` writes its block, given the index."""
        extent = extent if isinstance(extent, Term) else terms.constant(extent)
        index: Any = terms.index(name, extent, ("canary", id(self)))
        (atom,) = index.atoms
        block = Block()
        self._blocks[-1].items.append(Loop(atom, extent, (index >= 0, index < extent), block, None))
        self._within(block, lambda: body(index))

    def branch(self, condition: Any, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """A branch, which ends its block."""
        branch = Branch(condition, Block(), Block(), None)
        self._blocks[-1].items.append(branch)
        self._within(branch.then, then)
        self._within(branch.orelse, orelse)

    def _within(self, block: Block, write: Callable[[], None]) -> None:
        self._blocks.append(block)
        write()
        self._blocks.pop()


def _quotient(build: _Builder, a: int, b: int, rounded: int, otherwise: int) -> None:
    # One value each: for bit-vectors, a division of two variables in general takes seconds.
    top = build.dimension(f"top_{len(build.expected)}", a, a)
    bottom = build.dimension(f"bottom_{len(build.expected)}", b, b)
    build.proved(f"{a} // {b} is {rounded}", top // bottom == rounded)
    build.refuted(f"{a} // {b} is {otherwise}", top // bottom == otherwise)


def _thirds(build: _Builder) -> None:
    a = build.dimension("a", -9, 9)
    third = a // 3
    build.proved("-7 // 3 by a constant is -3", implies(a == -7, third == -3))
    build.refuted("-7 // 3 by a constant is -2", implies(a == -7, third == -2))
    build.proved("a % 3 is 0, 1 or 2", all_of(a - 3 * third >= 0, a - 3 * third <= 2))
    build.refuted("a % 3 is 0 or 1", a - 3 * third <= 1)


def _remainders(build: _Builder) -> None:
    a = build.dimension("dividend", -9, 9)
    b = build.dimension("divisor", -4, 4)
    build.assume(b != 0)
    rest = a - b * (a // b)
    build.proved("a % b for a positive b", implies(b > 0, all_of(rest >= 0, rest < b)))
    build.proved("a % b for a negative b", implies(b < 0, all_of(rest <= 0, rest > b)))
    build.refuted("a % b is never negative", rest >= 0)
    build.refuted("a % b has the sign of a", implies(a < 0, rest <= 0))


def _choices(build: _Builder) -> None:
    a = build.dimension("left", -9, 9)
    b = build.dimension("right", -4, 4)
    build.proved("a minimum", all_of(minimum(a, b) <= a, minimum(a, b) <= b))
    build.refuted("a minimum is its first argument", minimum(a, b) == a)
    build.proved("a maximum", all_of(maximum(a, b) >= a, maximum(a, b) >= b))
    build.refuted("a maximum is below 9", maximum(a, b) < 9)
    chosen = select(a < b, a, b)
    build.proved("a conditional value", chosen == minimum(a, b))
    build.refuted("a conditional value is its first arm", chosen == a)
    build.proved("a disjunction", any_of(a <= 2, a >= 3, b == 0))
    build.refuted("a conjunction", all_of(a < 9, b <= 4))
    build.refuted("a value at the end of its range", a != 9)


def _sums(build: _Builder) -> None:
    x = build.dimension("x", 0, _LARGE)
    y = build.dimension("y", 0, _LARGE)
    build.proved("the largest 32-bit integer", x <= _LARGE)
    build.refuted("a bound one below it", x <= _LARGE - 1)
    build.proved("a sum beyond 32 bits", implies(all_of(x == _LARGE, y == _LARGE), x + y == 2 * _LARGE))
    build.refuted("a sum that wraps around at 32 bits", x + y <= _LARGE)


def _products(build: _Builder) -> None:
    x = build.dimension("factor", _LARGE - 1, _LARGE)
    y = build.dimension("other_factor", _LARGE - 1, _LARGE)
    build.proved("a product beyond 32 bits", x * y >= (_LARGE - 1) * (_LARGE - 1))
    build.refuted("a product that wraps around at 32 bits", x * y <= _LARGE)
    build.proved("a negative product beyond 32 bits", -x * y <= -(_LARGE - 1) * (_LARGE - 1))


def _tiles(build: _Builder) -> None:
    extent = build.dimension("extent", 0, _LARGE)
    tile = build.dimension("tile", 0, _LARGE)
    build.assume(extent % 128 == 0)
    build.assume(tile < extent // 128)
    build.proved("a tile within its range", 128 * tile + 128 <= extent)
    build.refuted("a tile that is one too long", 128 * tile + 129 <= extent)


def _loops(build: _Builder) -> None:
    n = build.dimension("n", 0, 4)
    long = build.dimension("long", 0, _LARGE)

    def outer(i: Any) -> None:
        build.proved("an index is below the trip count", i < n)
        build.refuted("the last iteration", i < 3)
        build.loop("j", n, lambda j: inner(i, j))

    def inner(i: Any, j: Any) -> None:
        build.proved("indices of nested loops", i + j <= 6)
        build.refuted("the last iterations of nested loops", i + j <= 5)

    def constant(i: Any) -> None:
        build.proved("a loop of constant length", i <= 3)
        build.refuted("the last iteration of a loop of constant length", i <= 2)

    def assuming(i: Any) -> None:
        build.assume(n >= 3)
        build.proved("a hypothesis inside a loop", n + i >= 3)
        build.refuted("a hypothesis inside a loop says no more", n + i >= 4)

    def representative(i: Any) -> None:
        build.assume(long >= 100)
        build.proved("any one iteration of a long loop", all_of(i < long, long >= 100))
        build.refuted("a late iteration of a long loop", i < 1_000_000)

    def then() -> None:
        build.proved("a branch", n <= 2)
        build.refuted("a branch says no more", n <= 1)

    def orelse() -> None:
        build.proved("the other branch", n >= 3)
        build.refuted("the other branch says no more", n >= 4)

    build.loop("i", n, outer)
    build.loop("c", 4, constant)
    build.loop("h", n, assuming)
    build.refuted("a hypothesis inside a loop ends with it", n >= 3)
    build.loop("r", long, representative)
    build.refuted("a loop is entered at least once", any_of(n >= 1, long >= 100))
    build.branch(n <= 2, then, orelse)


#: What writes the programs. `_loops` ends with a branch, and with it the block.
_WRITERS: tuple[Callable[[_Builder], None], ...] = (
    partial(_quotient, a=7, b=2, rounded=3, otherwise=4),
    partial(_quotient, a=-7, b=2, rounded=-4, otherwise=-3),
    partial(_quotient, a=7, b=-2, rounded=-4, otherwise=-3),
    partial(_quotient, a=-7, b=-2, rounded=3, otherwise=4),
    partial(_quotient, a=-8, b=2, rounded=-4, otherwise=-5),
    _thirds,
    _choices,
    _sums,
    _products,
    _tiles,
    _remainders,
    _loops,
)


def _programs(together: bool, only: Arithmetic) -> list[_Builder]:
    # Bit-vectors take seconds for the laws of division.
    writers = [write for write in _WRITERS if only is Arithmetic.INTEGERS or write is not _remainders]
    builders = [_Builder()] if together else [_Builder() for _ in writers]
    for position, write in enumerate(writers):
        write(builders[0 if together else position])
    return builders


def _inductive() -> _Builder:
    build = _Builder()
    # ESBMC comes to no end by induction where the loop has no small bound.
    n = build.dimension("n", 0, 3)

    def body(i: Any) -> None:
        build.proved("by induction: an index is below the trip count", all_of(i >= 0, i < n))
        build.refuted("by induction: the third iteration", i < 2)

    build.loop("i", n, body)
    return build


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """The result of trying an ESBMC: the claims it gets wrong, and why it could not be tried to the end, if so."""

    wrong: tuple[Wrong, ...] = ()
    unfinished: str = ""


def check_once(
    installation: Installation,
    language: TargetLanguage = TargetLanguage.C,
    environment: Mapping[str, str] = os.environ,
    announce: Callable[[], None] = lambda: None,
) -> CanaryResult:
    """The answer of `check`, from the user's cache if this build was tried before with this version of the lowering.

    `announce` is called where it has to be tried now. What could not be tried to the end is tried again another time.
    """
    folder = cache_folder(environment)
    file = folder / f"canary-{_fingerprint(installation, language)}.json" if folder is not None else None
    if file is not None:
        with contextlib.suppress(OSError, ValueError, TypeError):
            return CanaryResult(tuple(Wrong(*entry) for entry in json.loads(file.read_text(encoding="utf-8"))))
    announce()
    trial = check(installation, language)
    if file is not None and not trial.unfinished:
        content = json.dumps([[entry.case, entry.expected, entry.found] for entry in trial.wrong])
        # Another time without a cache is slower and no less right.
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            temporary.write_text(content, encoding="utf-8")
            temporary.replace(file)
    return trial


def _fingerprint(installation: Installation, language: TargetLanguage) -> str:
    """Changes with the build, with the interpreter that its Python front end uses, and with this package."""
    about = installation.path.stat()
    build = [installation.path, about.st_size, about.st_mtime_ns, installation.version, installation.wheel]
    facts = [*build, language, sys.version, esbmc_process.PYTHON]
    digest = hashlib.sha256(repr(facts).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def check(installation: Installation, language: TargetLanguage = TargetLanguage.C) -> CanaryResult:
    """The claims that the ESBMC gets wrong of the set lowered to `language`; nothing, for one that can be used."""
    expected = installation.wheel.digest if installation.wheel is not None else ""
    if expected:
        found = hashlib.sha256(installation.path.read_bytes()).hexdigest()
        if found != expected:
            return CanaryResult((Wrong("its SHA-256", expected, found),))
    wrong: list[Wrong] = []
    try:
        for arithmetic in Arithmetic:
            if arithmetic is Arithmetic.BIT_VECTORS or installation.has_integers:
                # Small programs are decided ten times as fast; but starting takes longest where Python is read.
                together = installation.has_table and language is TargetLanguage.PYTHON
                flags = Flags(SecondEngineBudget.CANARY_UNWIND, multi_property=True)
                for build in _programs(together, arithmetic):
                    wrong += _mistakes(installation, build, flags, language, arithmetic)
        if "k-induction" in installation.options:
            flags = Flags(strategy=Strategy.K_INDUCTION)
            wrong += _mistakes(installation, _inductive(), flags, language, Arithmetic.BIT_VECTORS)
        wrong += _unwinding(installation, language)
    except _OutOfTime as stopped:
        return CanaryResult(tuple(wrong), str(stopped))
    return CanaryResult(tuple(wrong))


class _OutOfTime(Exception):
    """The build has not come to an end in the time it has: it is neither right nor wrong."""


def _mistakes(
    installation: Installation, build: _Builder, flags: Flags, language: TargetLanguage, only: Arithmetic
) -> list[Wrong]:
    engine = EsbmcEngine(installation, build.program, "canary", flags, language=language, only=only)
    result = engine.decide(1, SecondEngineBudget.CANARY_SECONDS * SecondEngineBudget.BUSY_FACTOR)
    wrong = []
    for decision in result.decisions:
        expected = build.expected[decision.claim.number]
        if decision.outcome is Outcome.UNDECIDED and decision.reason in _NO_TIME:
            limit = f"{SecondEngineBudget.CANARY_SECONDS:g} s for a program"
            raise _OutOfTime(f"{decision.claim.contract.id}: {decision.reason}, with {limit}")
        if decision.outcome is not expected:
            found = decision.outcome.value + (f" ({decision.reason})" if decision.reason else "")
            case = f"{decision.claim.contract.id} ({language.value}, {only.value})"
            wrong.append(Wrong(case, expected.value, found))
    return wrong


def _unwinding(installation: Installation, language: TargetLanguage) -> list[Wrong]:
    """A loop that the bound cuts off must fail for that, and not for the claim inside it, which holds."""
    build = _Builder()
    n = build.dimension("n", 0, 4)
    build.loop("i", n, lambda i: build.proved("", i < n))
    lowered = lower(build.program, [1], Plan(language, Arithmetic.BIT_VECTORS, unwind=9), "canary")
    options = ["--python", esbmc_process.PYTHON] if language is TargetLanguage.PYTHON else ["--no-library"]
    with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
        file = Path(folder) / f"canary{lowered.suffix}"
        file.write_text(lowered.text, encoding="utf-8")
        command: list[str | Path] = [installation.path, file.name, "--unwind", "3", *options]
        computing = SecondEngineBudget.CANARY_SECONDS / 4 + START_SECONDS[language]
        finished = esbmc_process.run(command, Path(folder), computing * SecondEngineBudget.BUSY_FACTOR, computing)
    report = output.read(finished, installation.version)
    if report.conclusion is Conclusion.TIMED_OUT:
        raise _OutOfTime(f"a loop cut off at its bound: {report.conclusion.value}")
    kinds = {violation.property.kind for violation in report.violations}
    if report.conclusion is Conclusion.FAILED and kinds == {PropertyKind.UNWINDING}:
        return []
    said = ", ".join(violation.property.message for violation in report.violations) or report.detail
    return [Wrong("a loop cut off at its bound", "a failed unwinding assertion", f"{report.conclusion.value} {said}")]
