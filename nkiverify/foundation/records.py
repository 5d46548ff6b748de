"""The findings of a run, as plain data: engines and phases produce it, reports and the dashboard consume it."""

from __future__ import annotations

import enum
import types
from dataclasses import field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import FileName, Prose, Site

#: How the qualifier of a SUCCESSFUL within bounds begins, and that of an UNKNOWN that rests on some shapes only.
BOUNDED = "bounded"
SAMPLED = "no counterexample among"


def bounds_of(qualifier: str) -> dict[str, int]:
    """The dimensions that a qualifier such as "bounded K <= 512, M <= 8" bounds; none where it is about loops."""
    parts = qualifier.removeprefix(BOUNDED).split(",") if qualifier.startswith(BOUNDED) else []
    pairs = (part.split("<=") for part in parts if "<=" in part)
    return {name.strip(): int(most) for name, most in pairs}


class Verdict(enum.Enum):
    """The outcome of one target in one phase by one engine, in the words that users of bounded model checkers know."""

    SUCCESSFUL = "SUCCESSFUL"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    VACUOUS = "VACUOUS"
    ERROR = "ERROR"


class Basis(enum.Enum):
    """The grounds of verdicts, each of which allows one verdict. Of the evidence about a phase, that whose basis
    stands first here decides: this is the one table of verdicts, of all phases and engines."""

    verdict: Verdict

    def __new__(cls, text: str, verdict: Verdict) -> Basis:
        """A basis that is written as `text`."""
        made = object.__new__(cls)
        made._value_, made.verdict = text, verdict
        return made

    # The question, this program or another engine is at fault.
    USAGE = "usage", Verdict.ERROR
    FAULT = "internal error", Verdict.ERROR
    CONTRADICTED = "contradicted by a concrete run", Verdict.ERROR
    DISAGREEMENT = "engines disagree", Verdict.ERROR
    UNUSABLE = "unusable", Verdict.ERROR
    # A claim is refuted: a concrete run shows it; it is in doubt; or nothing explains why no run shows it.
    REFUTED = "refuted", Verdict.FAILED
    MASKED = "masked by another fault", Verdict.UNKNOWN
    NOT_CONFIRMED = "not confirmed", Verdict.UNKNOWN
    NOT_REPLAYED = "not replayed", Verdict.FAILED
    # Not all claims are known.
    UNSUPPORTED = "unsupported", Verdict.UNKNOWN
    NOT_CLAIMED = "not claimed", Verdict.UNKNOWN
    # A claim is open.
    SUFFICIENT_ONLY = "sufficient condition only", Verdict.UNKNOWN
    NOT_DOCUMENTED = "not documented", Verdict.UNKNOWN
    NOT_KNOWN = "index not known", Verdict.UNKNOWN
    SYMBOLIC_ONLY = "symbolic run only", Verdict.UNKNOWN
    TIME_OUT = "time-out", Verdict.UNKNOWN
    MEMORY_LIMIT = "memory limit", Verdict.UNKNOWN
    UNDECIDED = "undecided", Verdict.UNKNOWN
    # Nothing was asked.
    EMPTY = "empty domain", Verdict.VACUOUS
    UNREACHED = "unreached", Verdict.VACUOUS
    # Some shapes or iterations show nothing, or all hold.
    CARRIED = "loop-carried", Verdict.UNKNOWN
    SAMPLED = "sampled", Verdict.UNKNOWN
    BOUNDED = "bounded", Verdict.SUCCESSFUL
    PROVED = "proved", Verdict.SUCCESSFUL

    @classmethod
    def of(cls, verdict: Verdict, qualifier: str) -> Basis:
        """The basis of a verdict in a record that does not say it, one of an earlier version for example."""
        for prefix, basis in ((BOUNDED, cls.BOUNDED), (SAMPLED, cls.SAMPLED)):
            if basis.verdict is verdict and qualifier.startswith(prefix):
                return basis
        said = next((one for one in cls if one.verdict is verdict and one.value == qualifier), None)
        return said or _PLAIN_BASES[verdict]


_PLAIN_BASES = {
    Verdict.SUCCESSFUL: Basis.PROVED,
    Verdict.FAILED: Basis.REFUTED,
    Verdict.UNKNOWN: Basis.UNDECIDED,
    Verdict.VACUOUS: Basis.UNREACHED,
    Verdict.ERROR: Basis.FAULT,
}

#: The claims that the second engine has decided twice, lowered to another language, in `Run.closed_by`.
IN_PYTHON = "in Python as well"


class Kind(enum.Enum):
    """The sort of a target, in the words of the corpus table."""

    CONCRETE = "concrete"
    SYMBOLIC = "symbolic"
    UNBOUNDED = "unbounded"
    CONTROL = "control"
    HISTORICAL = "historical"
    BOUNDARY = "boundary"
    HOST_ARITHMETIC = "host arithmetic"
    FINDING = "finding"


@dataclass(frozen=True, slots=True)
class LoopValue:
    """A `for` statement of `function` that was running, with the value of its variable: `k = 1`."""

    file: FileName
    line: int
    value: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that a violation is about, and what is there: "out is allocated here"."""

    site: Site
    text: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One refuted claim. `witness` maps dimension names to the values for which the concrete run breaks the contract.

    `values` are the same as numbers, where `witness` names the option of a choice; `smallest` says that there is no
    simpler witness (nkiverify.engines.minimise), `generalises` what else fails, by dimension. `comparison` is the
    refuted condition with its numbers, `function` the kernel's function that the place is in. What the replay of the
    witness saw when the contract broke: `calls`, the calls in kernel code that led to the place, outermost first;
    `loops` that were running, outermost first; `tensors` that the place mentions. `said` is what goes wrong in a few
    words, with its numbers; `labels` are other places that it is about; `instead` is what to write, as far as the
    declaration of the contract says it.
    """

    contract: str
    statement: str
    source: str
    file: FileName
    line: int
    message: Prose
    witness: dict[str, int | str]
    column: int = -1
    end_line: int = -1
    end_column: int = -1
    stub: FileName = ""
    replayed: bool = False
    note: str = ""
    values: dict[str, int] = field(default_factory=dict)
    smallest: bool = False
    generalises: dict[str, str] = field(default_factory=dict)
    comparison: str = ""
    function: str = ""
    calls: tuple[Site, ...] = ()
    loops: tuple[LoopValue, ...] = ()
    tensors: tuple[str, ...] = ()
    said: str = ""
    labels: tuple[Label, ...] = ()
    instead: str = ""


@dataclass(frozen=True, slots=True)
class KernelWarning:
    """A contested contract that is broken, a dead store, or work with undefined numbers that reach no output.

    `rule` is its id and `statement` what it says (the page of verdicts), `message` what is so here. `tensor` is the one
    that it is about, if it is about one; `element` its first such element (a position in the operand) in the first such
    iteration, `loops` say which. A concrete run on the values `witness` has shown it. `holds` says for what: "for all
    shapes", "for 2 shapes that were run", "for these shapes". `also` are places that serve nothing else.
    """

    rule: str
    statement: str
    file: FileName
    line: int
    message: Prose
    tensor: str
    element: tuple[int, ...]
    witness: dict[str, int | str]
    holds: str
    column: int = -1
    end_line: int = -1
    end_column: int = -1
    function: str = ""
    calls: tuple[Site, ...] = ()
    loops: tuple[LoopValue, ...] = ()
    also: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding of the rule `rule` that the user accepts for a `reason`: it decides no verdict.

    `source` is where it is accepted: `kernel.py:12`, `pyproject.toml`, `--ignore`. `message` says what is so here,
    for the values `witness`.
    """

    rule: str
    file: FileName
    line: int
    message: Prose
    reason: str
    source: Prose
    witness: dict[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decided:
    """Claims of one contract in one file with the same outcome: "proved", "refuted", "undecided" or "unreached".

    `by` is the rung of the embedded engine, or the second engine's arithmetic; empty where nothing decided. `lines` has
    an entry for each claim. Where no line of the kernel is to blame, for its output for example, file is empty and line
    0.
    """

    file: FileName
    contract: str
    outcome: str
    by: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LiveTensor:
    """A tensor, by what the kernel calls it, and what all its instances take, in terms of the dimensions."""

    name: str
    bytes: str


@dataclass(frozen=True, slots=True)
class Span:
    """The places `first` to `last` of a memory, both included, at each of which a tensor takes this many bytes."""

    first: int
    last: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A tensor on chip, by what the kernel calls it, with the line that allocates it.

    `shape` and `bytes`, what one instance takes of a partition, are in terms of the dimensions. `spans` say where in
    `MemoryPeak.places` it is live, and how much all its instances take there together.
    """

    name: str
    place: Site | None
    shape: tuple[str, ...]
    dtype: str
    bytes: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file."""

    file: FileName
    line: int


@dataclass(frozen=True, slots=True)
class Growth:
    """The most `bytes` of a partition that are live for some `values` of one dimension, which ascend."""

    dimension: str
    values: tuple[int, ...]
    bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """The most that is live in a memory ("sbuf", "psum") at one operation, in bytes per partition.

    `live` says it in terms of the dimensions, `bytes` for their values `at`; `tensors` are those live at `place`, with
    what all instances of each take. `fits` is the largest value of each dimension with which everything live fits
    into `limit` bytes, the others at their smallest; None where any does. `places` are the lines with operations, in
    the order of the kernel, and `tiles` what is live there for the values `at`: of a line that is passed more than
    once, where most is live. Both are empty where that is not known. `along` is how the peak grows with each dimension,
    the others as in `at`.
    """

    memory: str
    limit: int
    live: str
    at: dict[str, int]
    bytes: int | None
    place: Site | None
    tensors: tuple[LiveTensor, ...]
    fits: dict[str, int | None]
    places: tuple[Line, ...] = ()
    tiles: tuple[Tile, ...] = ()
    along: tuple[Growth, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """The elements of some rows and columns that were stored last by the same line: `store` is its position among the
    stores, -1 for elements that nothing stores, -2 for those that may have been stored: data decide.

    `order` are the stores to each of them, first to last, by line and iteration; empty where the line says it all, or
    where it is not known.
    """

    row: int
    rows: int
    column: int
    columns: int
    store: int
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines that stored the elements of a tensor that a kernel returns, in a concrete run on the values `at`.

    `rows` by `columns` are the elements, all dimensions but the last one together; where they are too many, one stands
    for `each` of them and nothing that is left out is lost: it is shown as a whole. `parts` cover all of them.
    """

    tensor: str
    shape: tuple[int, ...]
    at: dict[str, int]
    stores: tuple[Line, ...]
    rows: int
    columns: int
    each: tuple[int, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """The use of something outside the documented language. Columns count from 0."""

    file: FileName
    line: int
    column: int
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class KernelAnswer:
    """The answer of `check` about one kernel, at the line of its `def` (0 where that is not found).

    `said` is for which shapes it is `legal`, or why that is not known; `assumed` are arguments that nobody typed.
    `asserts` are the statements that it lacks to check that itself, which can stand after the line `after`.
    """

    kernel: str
    file: FileName
    line: int
    said: Prose
    legal: bool
    assumed: tuple[str, ...] = ()
    asserts: tuple[str, ...] = ()
    after: int = 0
    language: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One target, one phase, one engine.

    `qualifier` is what stands in brackets after the verdict: "bounded 8" (rounds of loops that are unrolled), "bounded
    K <= 512" (all shapes up to there), "not replayed", the reason of an UNKNOWN.
    `closed_by` counts the claims each rung of the engine decided. `reason` says why the verdict is not a plain one,
    `place` is where in the kernel an UNKNOWN arises, `advice` what the user can do about it.
    """

    target: str
    kernel: str
    family: str
    kind: Kind
    phase: int
    engine: str
    expected: Verdict | None
    verdict: Verdict
    qualifier: str = ""
    claims: int = 0
    closed_by: dict[str, int] = field(default_factory=dict)
    milliseconds: float = 0.0
    assumptions: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    reason: Prose = ""
    flags: str = ""
    tags: tuple[str, ...] = ()
    traceback: str = ""
    place: Site | None = None
    advice: str = ""
    #: Said next to the run that counts, by another engine: what it leaves open changes nothing.
    advisory: bool = False
    #: Remembered from an earlier run of which nothing changed; the time is what it took then.
    cached: bool = False
    #: What became of the claims, and where.
    decided: tuple[Decided, ...] = ()
    #: Lines, of the kernel or of the target, that restrict the domain.
    assumed_at: tuple[Site, ...] = ()
    #: Conditions on the dimensions under which all claims of the phase hold, where some are refuted; if any are known.
    suffices: tuple[str, ...] = ()
    #: What phase 3 tells of each memory that is used.
    memory: tuple[MemoryPeak, ...] = ()
    #: What is warned of: contested contracts that are broken, and the dead stores that phase 4 sees. No verdict
    #: changes.
    warnings: tuple[KernelWarning, ...] = ()
    #: Findings that the user accepts. What follows them is modelled as if their rules did not exist.
    accepted: tuple[AcceptedFinding, ...] = ()
    #: Where phase 4 is FAILED, what stores each element of the tensors that are returned, for the first witness.
    coverage: tuple[Coverage, ...] = ()
    #: What the code of its kernel or of its target reads besides modules and arguments, first: it is not remembered.
    reads: Prose = ""
    #: Statements at the top level of its modules that were passed over for what they ask for, each with its place.
    refused: tuple[Prose, ...] = ()
    #: What is accepted of its verdict by name, "bounded" for example: by the target, the settings or the command line.
    accept: tuple[str, ...] = ()
    #: The shapes that were run concretely next to a SUCCESSFUL, and why others were not.
    concrete: Prose = ""
    #: What the verdict rests on; where nobody says it, what verdict and qualifier say (`Basis.of`).
    basis: Basis | None = None

    def __post_init__(self) -> None:
        """Refuse a basis of another verdict."""
        if self.basis is None:
            object.__setattr__(self, "basis", Basis.of(self.verdict, self.qualifier))
        elif self.basis.verdict is not self.verdict:
            raise ValueError(f"{self.verdict.value} does not rest on {self.basis.value}")

    @property
    def is_bounded(self) -> bool:
        """True if it is SUCCESSFUL up to a bound only: no proof for all shapes of the domain."""
        return self.basis is Basis.BOUNDED

    @property
    def is_plain(self) -> bool:
        """True if its verdict is proved or refuted for all to see: without a bound, a doubt or anything accepted."""
        return self.basis in (Basis.PROVED, Basis.REFUTED) and not self.qualifier

    @property
    def lacks_proof(self) -> bool:
        """True if it is SUCCESSFUL up to a bound that nobody accepts."""
        return self.is_bounded and BOUNDED not in self.accept

    @property
    def as_expected(self) -> bool:
        """UNKNOWN, VACUOUS and ERROR are never as expected, whatever was written down as the expectation; a verdict up
        to a bound is where the bound is accepted."""
        if self.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED) or self.basis is Basis.NOT_REPLAYED:
            return False
        if self.lacks_proof:
            return False
        return self.expected is None or self.expected is self.verdict


# --- records of others ------------------------------------------------------------------------------------------------

ValueT = TypeVar("ValueT")

#: Parts that there may be to go through in what others send or have written, and how deep they may lie in one another.
_PARTS, _DEPTH = 2_000_000, 100
_END = object()
#: What has no parts.
_PLAIN = frozenset({bool, bytes, float, int, str, types.NoneType})
#: The modules of records whose fields are as their annotations say: what is made of verdicts relies on them.
_TYPED = (__name__, Site.__module__)


def checked(value: ValueT) -> ValueT:
    """`value`, of containers and records that others have made. Raises `TypeError` where a field of these records is of
    another type than theirs, and where there is more to go through than anybody waits for."""
    left = _PARTS
    pending = [iter([value])]
    while pending:
        part: Any = next(pending[-1], _END)
        if part is _END:
            pending.pop()
            continue
        parts = [] if type(part) in _PLAIN else _parts(part)
        # Nothing is in plain parts: a line for each operation of a kernel, say.
        plain = _PLAIN.issuperset(map(type, parts))
        left -= 1 + (len(parts) if plain else 0)
        if left < 0 or len(pending) > _DEPTH:
            raise TypeError("it has too many parts, or too deep ones")
        if not plain:
            pending.append(iter(parts))
    return value


def _parts(value: Any) -> list[Any]:
    """The parts of a container or a record, of which the fields are as they are to be."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return list(value)
    if not is_dataclass(value) or isinstance(value, type):
        return []
    hints = _hints(type(value))
    parts = [getattr(value, name) for name in hints]
    for (name, hint), part in zip(hints.items(), parts, strict=True):
        if not _fits(part, hint):
            raise TypeError(f"{type(value).__name__}.{name} is a {type(part).__name__}")
    return parts


@cache
def _hints(kind: type) -> dict[str, Any]:
    """The fields of a record, with their annotations, or with none of them."""
    hints = get_type_hints(kind, include_extras=True) if kind.__module__ in _TYPED else {}
    return {one.name: hints.get(one.name, object) for one in fields(kind)}


@cache
def _form(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The kind of an annotation, and what it is made of: asked for each field of each record."""
    return get_origin(hint), get_args(hint)


def _fits(value: Any, hint: Any) -> bool:
    """True if a value is as an annotation says; what is in a record that it is or has is seen with that."""
    origin, arguments = _form(hint)
    if origin is Annotated:
        return _fits(value, arguments[0])
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is tuple:
        parts = arguments[0]
        # Plain classes first: a line for each operation of a kernel, say.
        return isinstance(value, tuple) and all(type(part) is parts or _fits(part, parts) for part in value)
    if origin is dict:
        pairs = value.items() if isinstance(value, dict) else [(None, None)]
        return all(_fits(key, arguments[0]) and _fits(part, arguments[1]) for key, part in pairs)
    return isinstance(value, int | float if hint is float else hint)
