"""The subjects of the ledger: every command whose answer is recorded, written out as files that any revision can run.

A subject is a command line of `nkiverify` in a folder, and nothing else: the ledger knows the tool by its commands and
by the results that they write, so that it outlives what is inside. One command may be about many subjects, where they
are targets of one manifest.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.first_contact import cases as first_contact_cases
from lab.fuzz import MEMORY, SHAPES
from lab.kernel_files import UNWIND, kernel_files, parameters, read_header
from lab.published.launches import launches
from lab.subject import Bench
from lab.subject import Subject as Kernel
from nkiverify.foundation import resources
from nkiverify.project.controls import Example, controls, written_out
from tests.grad import SHAPES as GRADIENT_SHAPES
from tests.litmus import SHAPES as LITMUS_SHAPES

#: Random kernels that the ledger has, and the campaign that they are of.
FUZZED, CAMPAIGN = 2000, 1
#: Seconds of processor time for one subject; for a random kernel.
SECONDS, FUZZ_SECONDS = 20.0, 4.0
#: A stratified part of the subjects has every so many of each group.
TENTH = 10

ROOT = resources.root()


@dataclass(frozen=True, slots=True)
class Subject:
    """One command. `words` are those after `nkiverify`; `digest` is of its files and words, so that a ledger says
    whether two answers are about the same thing."""

    name: str
    folder: Path
    words: tuple[str, ...]
    digest: str
    #: The targets that the command is about, where it is about several: each is a subject of its own.
    targets: tuple[str, ...] = ()
    #: Whether `--json FILE` can be asked of the command.
    results: bool = True
    seconds: float = SECONDS

    @property
    def group(self) -> str:
        """The kind of subject that it is: the part of its name before the first slash."""
        return self.name.partition("/")[0]


def subjects(
    folder: Path, checkouts: Sequence[Path] = (), cases: Path | None = None, every: int = 1
) -> Iterator[Subject]:
    """All subjects, or every so many of each group; those that have no files of their own are written below
    `folder`."""
    found = _written_out(folder, checkouts, cases)
    yield from sampled(list(found), every) if every > 1 else found
    yield from _fuzzed(folder / "fuzz", every)


def _written_out(folder: Path, checkouts: Sequence[Path], cases: Path | None) -> Iterator[Subject]:
    yield from _manifest()
    yield from _soundness(folder / "soundness")
    yield from _controls(folder / "controls")
    yield from _pairs("litmus", ROOT / "tests" / "litmus")
    yield from _gradients(ROOT / "tests" / "grad" / "kernels")
    yield from _first_contact(folder / "first_contact")
    yield from _published(folder / "published", checkouts)
    yield from _cases(cases)


def sampled(found: Sequence[Subject], every: int) -> list[Subject]:
    """Every so many subjects of each group: of a command about several targets, of those."""
    counts: dict[str, int] = {}
    chosen = []
    for one in found:
        if one.targets:
            names = one.targets[::every]
            chosen.append(Subject(one.name, one.folder, (*one.words, *names), one.digest, names, True, one.seconds))
        else:
            number = counts.setdefault(one.group, 0)
            counts[one.group] += 1
            if number % every == 0:
                chosen.append(one)
    return chosen


def _digest(*parts: str | bytes) -> str:
    made = hashlib.sha256()
    for part in parts:
        made.update(part if isinstance(part, bytes) else part.encode())
        made.update(b"\0")
    return made.hexdigest()[:16]


def _checked(name: str, folder: Path, file: str, words: Sequence[str], seconds: float = SECONDS) -> Subject:
    """A subject of `nkiverify check` about a kernel of `file`, which may name the function after `::`."""
    text = (folder / file.partition("::")[0]).read_bytes()
    given = ("check", file, *words, "--no-cache", "--engine", "embedded", "--timeout", f"{seconds:g}")
    return Subject(name, folder, given, _digest(text, *given), seconds=seconds)


def _manifest() -> Iterator[Subject]:
    """The targets that come with the tool. The kernels are those of its own checkout."""
    from nkiverify.project.manifest_targets import load_targets

    names = tuple(target.name for target in load_targets(ROOT))
    files = sorted(file for part in ("kernels", "harness") for file in (ROOT / part).rglob("*.py"))
    words = ("run", "--bundled", "--no-cache", "--no-page", "--engine", "embedded")
    yield Subject("manifest", ROOT, words, _digest(*(file.read_bytes() for file in files)), names)


def _soundness(folder: Path) -> Iterator[Subject]:
    """The kernel files of tests/soundness: those that are host code over integers are targets of one manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    top = ROOT / "tests" / "soundness" / "kernels"
    shutil.copytree(top, folder / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    text, names, files = [_TARGETS], [], []
    for file in kernel_files(top):
        header, path = read_header(file), file.relative_to(top)
        if header.least is None:
            own, *words = header.args if header.args[:1] and header.args[0].startswith("::") else ("", *header.args)
            given = f"{file.name}{own}"
            yield _checked(f"soundness/{path.with_suffix('').as_posix()}", file.parent, given, words)
            continue
        unwind = header.args[header.args.index("--unwind") + 1] if "--unwind" in header.args else str(UNWIND)
        name = re.sub(r"\W", "_", path.with_suffix("").as_posix())
        dimensions = ", ".join(f"v.dim({one!r}, {header.least})" for one in parameters(file)["kernel"])
        phases = ", ".join(f"{one.phase}: SUCCESSFUL" for one in header.expected)
        body, kernel = f"    v.call({dimensions})", f"kernels/{path.as_posix()}"
        text.append(_TARGET.format(name=name, kernel=kernel, unwind=unwind, expected=phases, body=body))
        names.append(name)
        files.append(file.read_bytes())
    (folder / "nkiverify_targets.py").write_text("".join(text), encoding="utf-8")
    command = ("run", "--no-cache", "--no-page", "--engine", "embedded", "--timeout", f"{SECONDS:g}")
    if names:
        yield Subject("host_code", folder, command, _digest("".join(text), *files), tuple(names))


def _controls(folder: Path) -> Iterator[Subject]:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(written_out(), folder)
    for name, control in sorted(controls().items()):
        for side, example in (("right", control.right), ("wrong", control.wrong)):
            yield _checked(f"controls/{name}/{side}", folder, example.reference, list(_words_of(example)))


def _words_of(example: Example) -> Iterator[str]:
    for argument in example.arguments:
        yield from ("--arg", argument)
    if example.cores is not None:
        yield from ("--grid", example.cores)
    # With a condition of its own, the asserts of the kernel are claims.
    yield from ("--where", "1 == 1", "--target", example.hardware, "--nki", example.nki)


def _pairs(group: str, folder: Path) -> Iterator[Subject]:
    """Pairs of kernels of which the second ends in `_b`."""
    for file in sorted(folder.glob("*.py")):
        named = parameters(file)
        for second in named:
            first = second.removesuffix("_b") + "_a"
            if second.endswith("_b") and first in named:
                words = [f"{file.name}::{first}", f"{file.name}::{second}"]
                for name in dict.fromkeys((*named[first], *named[second])):
                    words += ["--arg", f"{name}={LITMUS_SHAPES[name]}"]
                yield _compared(f"{group}/{file.stem}/{second}", "equiv", file, words)


def _compared(name: str, command: str, file: Path, words: Sequence[str]) -> Subject:
    given = (command, *words, "--timeout", "60")
    return Subject(name, file.parent, given, _digest(file.read_bytes(), *given), results=False)


def _gradients(folder: Path) -> Iterator[Subject]:
    for stem, shapes in GRADIENT_SHAPES.items():
        file = folder / f"{stem}.py"
        named = parameters(file)
        for backward in named:
            if "backward" in backward and not backward.startswith("_"):
                forward = backward.partition("_backward")[0] if "_backward" in backward else "forward"
                words = [f"{file.name}::{forward}", f"{file.name}::{backward}"]
                for name in dict.fromkeys((*named[forward], *named[backward])):
                    words += ["--arg", f"{name}={shapes[name]}"]
                yield _compared(f"gradients/{stem}/{backward}", "grad", file, words)


def _first_contact(folder: Path) -> Iterator[Subject]:
    shutil.rmtree(folder, ignore_errors=True)
    for case in first_contact_cases():
        for side, text in (("right", case.text), ("wrong", case.wrong)):
            place = folder / side
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{case.name}.py").write_text(text, encoding="utf-8")
            yield _checked(f"first_contact/{case.name}/{side}", place, f"{case.name}.py", ())


def _published(folder: Path, checkouts: Sequence[Path]) -> Iterator[Subject]:
    for symbolic in (False, True):
        for launch in launches(symbolic=symbolic):
            checkout = next((one for one in checkouts if launch.is_in(one)), None)
            if checkout is not None:
                name = f"published/{'symbolic' if symbolic else 'concrete'}/{launch.name}"
                place = folder / launch.name
                place.mkdir(parents=True, exist_ok=True)
                words = launch.written(place)
                yield _checked(name, launch.folder(checkout), launch.kernel, words, launch.seconds)


#: What is typed after `check FILE` for cases that say so in words, by their path below the folder of cases.
_TYPED = {
    "b63e1d42/memory/operands_fit_symbolic.py": "--arg x='f32[S,D]' --where 'S <= 128 and D <= 53246'",
    "b63e1d42/device/indirect_index_elsewhere.py": "::kernel --arg x='f32[16,8]' --target trn3",
    "b63e1d42/device/sendrecv_without_partner.py": "--grid 2",
    "b63e1d42/device/two_cores_different_control_flow.py": "--grid 2",
    "b63e1d42/real/nc_version_trn3.py": "--target trn3",
    "b63e1d42/import/al_dict.py": "::k --arg 'a=bf16[P:1..128,F:1..512]'",
    "b63e1d42/import/al_class.py": "::k --arg 'a=bf16[P:1..128,F:1..512]'",
}


def _cases(folder: Path | None) -> Iterator[Subject]:
    """Files that are checked as they are; those with another command in their table are left to the tests."""
    for file in sorted(folder.rglob("*.py")) if folder is not None else ():
        text = file.read_text(encoding="utf-8")
        if "import nki" in text or "neuronxcc" in text:
            name = file.relative_to(folder)  # type: ignore[arg-type]
            kernel, _, rest = _TYPED.get(name.as_posix(), "").partition(" ")
            words = shlex.split(rest) if kernel.startswith("::") else shlex.split(f"{kernel} {rest}")
            given = file.name + (kernel if kernel.startswith("::") else "")
            yield _checked(f"cases/{name.with_suffix('').as_posix()}", file.parent, given, words)


_TARGETS = """\
\"\"\"Kernels of the ledger, as targets.\"\"\"

from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import float16, float32

"""
_TARGET = """\

@target(kernel="{kernel}::kernel", family="ledger", kind=Kind.SYMBOLIC, flags="--unwind {unwind}",
        expect={{{expected}}})
def {name}(v: Verification) -> None:
    \"\"\"A kernel of the ledger.\"\"\"
{body}

"""


def _fuzzed(folder: Path, every: int) -> Iterator[Subject]:
    """Random kernels, every so many pairs of them: those of odd numbers about phases 1 and 2, the others about 3 and 4.
    Each is made once; one that cannot be is remembered as an empty target."""
    made = folder / "kernels"
    made.mkdir(parents=True, exist_ok=True)
    targets: dict[str, str] = {}
    bench = Bench()
    try:
        # In pairs, of each of both.
        for number in (one for one in range(1, FUZZED + 1) if one // 2 % every == 0):
            name, target = f"fuzz_{number:04}", folder / f"fuzz_{number:04}.target"
            if not target.exists():
                kernel = (SHAPES if number % 2 else MEMORY).subject(number, CAMPAIGN, bench)
                if kernel is not None:
                    (made / f"{name}.py").write_text(kernel.kernel, encoding="utf-8")
                text = _target(name, kernel, (1, 2) if number % 2 else (1, 2, 3, 4)) if kernel is not None else ""
                target.write_text(text, encoding="utf-8")
            text = target.read_text(encoding="utf-8")
            targets |= {name: text} if text else {}
    finally:
        bench.close()
    (folder / "nkiverify_targets.py").write_text(_TARGETS + "".join(targets.values()), encoding="utf-8")
    digest = _digest(*targets.values(), *((made / f"{name}.py").read_bytes() for name in targets))
    words = ("run", "--no-cache", "--no-page", "--engine", "embedded", "--timeout", f"{FUZZ_SECONDS:g}")
    yield Subject("fuzz", folder, words, digest, tuple(targets))


def _target(name: str, kernel: Kernel, phases: Sequence[int]) -> str:
    (function,) = ast.parse(kernel.harness.strip()).body
    assert isinstance(function, ast.FunctionDef)
    body = "\n".join(f"    {line}" for part in function.body for line in ast.unparse(part).splitlines())
    expected = ", ".join(f"{phase}: SUCCESSFUL" for phase in phases)
    kernels = f"kernels/{name}.py"
    return _TARGET.format(name=name, kernel=kernels, unwind=kernel.unwind, expected=expected, body=body)
