"""Kernels in files with their expected verdicts: reading the headers, running `check`, comparing.

The header is the block of comments at the top of a file, in the format of tests/soundness/kernels/README.md.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib
import io
import itertools
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import FunctionType

from lab.subject import forget
from nkiverify.cli import check
from nkiverify.cli.main import main
from nkiverify.foundation.records import BOUNDED, Kind, Run, Verdict, bounds_of
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.phases.witness_replay import Replay, replay
from nkiverify.project.request import request
from nkiverify.results import file as results_file
from nkiverify.results.session import counting
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.verify.options import DEFAULT_HARDWARE, PHASES, Options
from nkiverify.verify.verifier import verify

#: The header's keys.
KEYS = ("expect", "args", "dims", "shapes", "solver")
#: The word for a SUCCESSFUL that holds within bounds only; plain SUCCESSFUL is for all shapes.
WITHIN_BOUNDS = "BOUNDED"
WORDS = ("SUCCESSFUL", WITHIN_BOUNDS, "FAILED", "UNKNOWN", "VACUOUS", "ERROR")
#: The phases of which a concrete run shows a violation by itself.
COMPARED = (1, 2)
#: For `dims`: the values that are run, seconds of processor time, and the unwinding bound, unless the header says so.
SHAPES = range(7)
SECONDS = 20.0
UNWIND = 8
#: The options of `check` that a file with `dims` may set.
_WITH_DIMS = ("timeout", "unwind")

_HEADER_LINE = re.compile(r"#\s*([\w-]+):\s*(.*?)\s*")
_RANGE = re.compile(r"(?:([A-Za-z_]\w*)=)?(-?\d+)(?:\.\.(-?\d+)(?::(\d+))?)?")
_RULE = re.compile(r"([A-Za-z_][\w.]*)?(?::(\d+))?")


class HeaderError(Exception):
    """A header that cannot be used: the file, the line, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The verdicts that are allowed in one phase, and the findings that must be reported with them: rule and line, of
    which one may be left out ("" and 0)."""

    phase: int
    allowed: tuple[str, ...]
    findings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a kernel's file.

    `least` is the smallest value of each parameter, where the kernel is host code over integers (`dims`); None where
    `args` are the arguments of `check`. `shapes` are the values that are also run concretely, by dimension; "" stands
    for every dimension that is not named. It is empty where none are run. `solver` are the solver's milliseconds for
    each question; None leaves them as they are.
    """

    expected: tuple[Expectation, ...]
    args: tuple[str, ...] = ()
    least: int | None = None
    shapes: Mapping[str, range] = field(default_factory=dict)
    solver: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The runs that count of one file, and what `check` printed with its exit status."""

    runs: tuple[Run, ...]
    printed: str = ""


def kernel_files(folder: Path) -> list[Path]:
    """The kernels below a folder. Files whose name begins with `_`, and packages, are helpers that they import."""
    return [path for path in sorted(folder.rglob("*.py")) if not _is_helper(path, folder)]


def _is_helper(path: Path, top: Path) -> bool:
    folders = itertools.takewhile(lambda folder: folder != top, path.parents)
    return path.name.startswith("_") or any((folder / "__init__.py").exists() for folder in folders)


# --- headers ----------------------------------------------------------------------------------------------------------


def read_header(path: Path) -> Header:
    """The header of a file. Raises `HeaderError` where it cannot be used."""
    found: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("#"):
            break
        match = _HEADER_LINE.fullmatch(line)
        if match is None or match[1] not in KEYS:
            raise _wrong(path, number, f"a header line begins with {', '.join(f'`# {key}:`' for key in KEYS)}: {line}")
        if match[1] != "expect" and match[1] in found:
            raise _wrong(path, number, f"`# {match[1]}:` is given twice")
        found.setdefault(match[1], []).append((number, match[2]))
    if "expect" not in found:
        raise _wrong(path, 1, "there is no `# expect: <phase> <VERDICT>`")
    if "args" not in found and "dims" not in found:
        raise _wrong(path, 1, "there is neither `# args:` (arguments of `nkiverify check`) nor `# dims: 0..`")
    expected = tuple(_expectation(path, *given) for given in found["expect"])
    phases = [one.phase for one in expected]
    if len(set(phases)) < len(phases):
        raise _wrong(path, found["expect"][-1][0], "a phase is expected twice: separate allowed verdicts by |")
    least = _least(path, *found["dims"][0]) if "dims" in found else None
    args = _args(path, *found["args"][0], options_only=least is not None) if "args" in found else ()
    shapes = _shapes(path, *found["shapes"][0]) if "shapes" in found else {"": SHAPES} if least is not None else {}
    if shapes and not set(phases) & set(COMPARED):
        raise _wrong(path, 1, f"shapes are compared in phases {COMPARED[0]} and {COMPARED[1]}: none is expected")
    solver = _solver(path, *found["solver"][0]) if "solver" in found else None
    return Header(expected, args, least, shapes, solver)


def _wrong(path: Path, line: int, what: str) -> HeaderError:
    return HeaderError(f"{path}:{line}: {what}")


def _expectation(path: Path, number: int, text: str) -> Expectation:
    words = text.split()
    if len(words) < 2 or not words[0].isdecimal() or int(words[0]) not in PHASES:
        raise _wrong(path, number, f"`# expect:` has a phase of 1 to {max(PHASES)} and a verdict, not {text!r}")
    allowed = tuple(words[1].split("|"))
    unknown = [word for word in allowed if word not in WORDS]
    if unknown:
        raise _wrong(path, number, f"{unknown[0]} is no verdict: {', '.join(WORDS)}, several separated by |")
    findings = []
    for word in words[2:]:
        match = _RULE.fullmatch(word)
        if match is None:
            raise _wrong(path, number, f"a finding is a rule, rule:line, or :line, not {word!r}")
        findings.append((match[1] or "", int(match[2] or 0)))
    return Expectation(int(words[0]), allowed, tuple(findings))


def _least(path: Path, number: int, text: str) -> int:
    match = re.fullmatch(r"(-?\d+)\.\.", text)
    if match is None:
        raise _wrong(path, number, f"`# dims:` is the smallest value of all parameters, like `0..`, not {text!r}")
    return int(match[1])


def _args(path: Path, number: int, text: str, options_only: bool) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
        arguments = _parsed((path.name + _kernel(words), *_options(words)))
    except ValueError as error:
        raise _wrong(path, number, f"`# args:` cannot be read as `nkiverify check` reads it: {error}") from None
    if not _kernel(words) and any((arguments.arg, arguments.where, arguments.grid)) and not options_only:
        raise _wrong(path, number, "--arg, --where and --grid need a kernel: the first word is `::NAME`")
    if options_only:
        plain = vars(_parsed((path.name,)))
        other = [name for name, value in vars(arguments).items() if value != plain[name] and name not in _WITH_DIMS]
        if other:
            raise _wrong(path, number, f"with `# dims:`, `# args:` has --timeout and --unwind only, not {text}")
    return words


def _kernel(words: Sequence[str]) -> str:
    """The first word where it names the kernel: `::name`."""
    return words[0] if words and words[0].startswith("::") else ""


def _options(words: Sequence[str]) -> Sequence[str]:
    return words[1:] if _kernel(words) else words


def _shapes(path: Path, number: int, text: str) -> dict[str, range]:
    found: dict[str, range] = {}
    for word in text.split() if text != "none" else ():
        match = _RANGE.fullmatch(word)
        if match is None:
            raise _wrong(path, number, f"shapes are like `0..6`, `R=1..64:8`, `C=4`, or `none`, not {word!r}")
        name, first, last, step = match.groups()
        found[name or ""] = range(int(first), int(last or first) + 1, int(step or 1))
    return found


def _solver(path: Path, number: int, text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise _wrong(path, number, f"`# solver:` is a number of milliseconds for each question, not {text!r}")
    return int(text)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise ValueError(message)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(add_help=False)
    check.configure(parser)
    return parser.parse_args(words)


# --- running ----------------------------------------------------------------------------------------------------------


def answer(path: Path, header: Header) -> Answer:
    """The verdicts of a file, in the phases that are expected."""
    with _solving(header.solver):
        return _answered(path, header)


@contextlib.contextmanager
def _solving(milliseconds: int | None) -> Iterator[None]:
    """The solver has this long for each question."""
    before = {one.name: getattr(BUDGETS, one.name) for one in fields(BUDGETS)}
    for name in before if milliseconds is not None else ():
        setattr(BUDGETS, name, milliseconds)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(BUDGETS, name, value)


def _answered(path: Path, header: Header) -> Answer:
    if header.least is None:
        return _checked(path, header)
    arguments = _parsed((path.name, *header.args))
    target = _target(path, header.least, arguments.unwind or UNWIND)
    phases = tuple(one.phase for one in header.expected)
    seconds = arguments.timeout or SECONDS
    return Answer(tuple(verify(target, Options(root=path.parent, phases=phases, timeout=seconds, unhurried=True))))


def _checked(path: Path, header: Header) -> Answer:
    """The answer of `nkiverify check` to the file, asked in its folder."""
    phases = ",".join(str(one.phase) for one in header.expected)
    asked = () if "--phase" in header.args else ("--phase", phases)
    printed = io.StringIO()
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "results.json"
        words = (path.name + _kernel(header.args), *_options(header.args), *asked)
        # A report would be remembered as the last failure of whoever runs this.
        quiet = () if "--output-format" in header.args else ("--output-format", "concise")
        os.chdir(path.parent)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                status = main(["check", *words, *quiet, "--no-cache", "--json", str(written)])
        finally:
            os.chdir(before)
        runs = tuple(counting(results_file.read(written).runs)) if written.exists() else ()
    command = shlex.join(("nkiverify", "check", *words))
    return Answer(runs, f"{command} (exit status {status})\n{printed.getvalue()}")


def _target(path: Path, least: int, unwind: int) -> Target:
    """A target that calls the `kernel` of a file as it is, with a dimension from `least` up for each parameter."""
    names = parameters(path)["kernel"]

    def call(v: Verification) -> None:
        v.call(*(v.dim(name, least) for name in names))

    return Target(
        name=path.stem,
        kernel=f"{path.name}::kernel",
        family=path.parent.name,
        kind=Kind.UNBOUNDED,
        expect={},
        flags=f"--unwind {unwind}",
        tags=(),
        description="",
        hardware=DEFAULT_HARDWARE,
        root=path.parent,
        module=path.stem,
        file=str(path),
        line=1,
        function=call,
    )


def parameters(file: Path) -> dict[str, tuple[str, ...]]:
    """The names of the parameters of each function of a file."""
    functions = (one for one in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(one, ast.FunctionDef))
    return {one.name: tuple(parameter.arg for parameter in one.args.args) for one in functions}


# --- concrete runs ----------------------------------------------------------------------------------------------------


def fails(played: Replay, phase: int) -> bool:
    """True if a concrete run breaks a contract of `phase`; a division by zero and a large integer belong to phase 2."""
    if played.excluded:
        return False
    assert not played.unsupported, played.unsupported
    host = [found.contract.id.startswith("host.") for found in played.broken]
    if played.raised is not None:
        host.append(isinstance(played.raised, ZeroDivisionError))
    return any(host) if phase == 2 else not all(host)


@dataclass(frozen=True, slots=True)
class Concrete:
    """The concrete runs of a file: its target, and the values of the target's dimensions."""

    target: Target
    values: tuple[dict[str, int], ...]

    @staticmethod
    def of(path: Path, header: Header) -> Concrete:
        """The runs that a header asks for. Raises `HeaderError` where a dimension has no values."""
        if header.least is not None:
            names = parameters(path)["kernel"]
            target = _target(path, header.least, UNWIND)
        else:
            arguments = _parsed((path.name + _kernel(header.args), *_options(header.args)))
            asked = request(
                arguments.paths[0],
                path.parent,
                arguments.arg,
                arguments.where,
                arguments.grid,
                assume_asserts=arguments.assume_asserts,
                no_spills=arguments.no_spills,
            )
            names = tuple(asked.domain.ranges)
            target = asked.target(arguments.target or DEFAULT_HARDWARE, several=False)
        missing = [name for name in names if name not in header.shapes and "" not in header.shapes]
        if missing:
            raise HeaderError(f"{path}:1: `# shapes:` says nothing of {', '.join(missing)}")
        ranges = [header.shapes.get(name, header.shapes.get("", range(0))) for name in names]
        return Concrete(target, tuple(dict(zip(names, values, strict=True)) for values in itertools.product(*ranges)))

    def fails(self, values: Mapping[str, int], phase: int) -> bool:
        """True if the run on these values breaks a contract of `phase`."""
        hardware = hardware_named(self.target.hardware)
        with _libraries_put_back(self.target.root / self.target.kernel.partition("::")[0]):
            return fails(replay(self.target, dict(values), hardware, checked=phase == 2), phase)


@functools.lru_cache(maxsize=8)
def _imported(path: Path, _changed: int) -> frozenset[str]:
    """The names of modules that `import` statements of a file have, as it was when it had been changed last."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names)


@contextlib.contextmanager
def _libraries_put_back(path: Path) -> Iterator[None]:
    """Attributes that kernels of a file give to functions and classes of libraries are gone after the block: a user's
    kernels run in a process of their own, those of the tests in one."""
    names = _imported(path, path.stat().st_mtime_ns)
    for name in names:
        # One that is imported by a kernel first would not be known here.
        if name.partition(".")[0] in sys.stdlib_module_names:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    known = [sys.modules[name] for name in names if name in sys.modules]
    parts = [part for module in known for part in vars(module).values()]
    before = [(part, set(vars(part))) for part in parts if isinstance(part, type | FunctionType)]
    try:
        yield
    finally:
        for part, own in before:
            for name in vars(part).keys() - own:
                delattr(part, name)


# --- comparing --------------------------------------------------------------------------------------------------------


def complaints(path: Path) -> list[str]:
    """Faults of the answer to a file: it is not what its header expects, or a concrete run contradicts it."""
    header = read_header(path)
    # A kernel's module may be left changed: each run begins with a new one.
    forget(path.parent)
    with _libraries_put_back(path):
        found = answer(path, header)
    forget(path.parent)
    said: list[str] = []
    concrete = Concrete.of(path, header) if header.shapes else None
    for expected in header.expected:
        runs = [run for run in found.runs if run.phase == expected.phase]
        if not runs:
            said.append(f"phase {expected.phase} has no verdict")
        for run in runs:
            said.extend(f"phase {run.phase}: {text}" for text in _unexpected(run, expected, path))
            if concrete is not None and run.phase in COMPARED:
                said.extend(f"phase {run.phase}: {text}" for text in contradicted(run, concrete))
    if said and found.printed:
        said.append(found.printed)
    return said


def verdict_word(run: Run) -> str:
    """The verdict of a run, in the words of a header."""
    bounded = run.verdict is Verdict.SUCCESSFUL and run.qualifier.startswith(BOUNDED)
    return WITHIN_BOUNDS if bounded else run.verdict.value


def _unexpected(run: Run, expected: Expectation, path: Path) -> Iterator[str]:
    """How a run differs from what is expected of it."""
    shown = f"{run.verdict.value} ({run.qualifier})" if run.qualifier else run.verdict.value
    plain = run.verdict is not Verdict.FAILED or not run.qualifier
    if verdict_word(run) not in expected.allowed or not plain:
        because = "\n".join(filter(None, (run.reason, run.traceback, *(str(one) for one in run.violations))))
        yield f"{shown} instead of {'|'.join(expected.allowed)}: {because}"
        return
    places = _findings(run, path)
    for rule, line in expected.findings:
        if not any(rule in ("", other) and line in (0, at) for other, at in places):
            wanted = f"{rule}:{line}" if line else rule
            reported = ", ".join(f"{other}:{at}" for other, at in places) or "nothing"
            yield f"{shown} without {wanted}; reported: {reported}"


def _findings(run: Run, path: Path) -> list[tuple[str, int]]:
    """The rules of violations and warnings, and the place of an UNKNOWN, with their lines; 0 in another file."""
    found = [(one.contract, one.file, one.line) for one in run.violations]
    found += [(one.rule, one.file, one.line) for one in run.warnings]
    if run.place is not None:
        found.append(("", run.place.file, run.place.line))
    return [(rule, line if Path(file).name == path.name else 0) for rule, file, line in found]


def contradicted(run: Run, concrete: Concrete) -> Iterator[str]:
    """Contradictions between a verdict and the concrete runs."""
    failing = [values for values in concrete.values if concrete.fails(values, run.phase)]
    if run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS):
        covered = [values for values in failing if _covers(run, values)]
        if covered:
            yield f"{run.verdict.value} {run.qualifier}, but {covered[0]} fails"
    if run.verdict is Verdict.FAILED:
        for violation in run.violations:
            witness = {name: int(value) for name, value in violation.values.items()}
            if violation.replayed and not concrete.fails(witness, run.phase):
                yield f"the witness {witness} does not fail"


def _covers(run: Run, values: Mapping[str, int]) -> bool:
    """True if a SUCCESSFUL is about these values. No loop of the kernels that are compared has more rounds than the
    largest value, so that a bound on rounds is one on values."""
    rounds = re.fullmatch(rf"{BOUNDED} (\d+)", run.qualifier)
    if rounds:
        return max(values.values(), default=0) <= int(rounds[1])
    return all(values[name] <= high for name, high in bounds_of(run.qualifier).items())
