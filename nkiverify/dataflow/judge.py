"""The verdict of phase 4: a proof for all shapes, a concrete run that shows a fault, or a bounded search without one.

What the walk over the shape program shows holds for every shape. Where it leaves a claim open, shapes of the domain
are run concretely, the simplest first, with the shadow memory: a fault found there is a refutation. A domain that is
run in full is decided; otherwise the verdict says for how many shapes nothing was found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import inf, lcm, prod

from nkiverify.dataflow import PHASE
from nkiverify.dataflow.flow import MAX_OPERATIONS, Inconclusive, Open, OutOfTime, Proof, prove
from nkiverify.dataflow.smallest import simplest
from nkiverify.dataflow.trial import SHAPE_WORK, Seen, Trial, attempt, look
from nkiverify.dataflow.warned import Subject, warnings
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome, Rung
from nkiverify.engines.smt import Answer
from nkiverify.engines.smt import Question as SmtQuestion
from nkiverify.judging import ADVICE_TIME
from nkiverify.manifest import Target
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.program import Assume, Claim, DomainDimension, Program
from nkiverify.results import KernelWarning, Place, Run, Verdict, Violation
from nkiverify.source import Site
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Comparison, Condition, Relation
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.terms import INT32_MAX, Div
from nkiverify.witness.explain import Circumstances, violation_of
from nkiverify.witness.labels import argument_labels
from nkiverify.witness.minimise import Witness, smallest_legal

#: Work, in elements of operands, after which the search for a fault tries no further shape. A limit on time would have
#: the verdict depend on the machine.
SEARCH_WORK = 60_000_000
#: Work that the only shape may take.
ONLY_WORK = 1_000_000_000
#: Shapes that are run concretely at most, and values of one dimension that are tried first.
MAX_SHAPES = 64
_STEPS = 4
#: Milliseconds for finding a shape with a solver.
QUESTION_MS = 2000
#: Values at which tiles end: the one before, the one itself and the one after are tried.
_EDGES = (128, 512)


@dataclass(frozen=True, slots=True)
class Limit:
    """What ended the exploration of the kernel early, and what can be done about it."""

    construct: str
    advice: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be judged. `bounded` says how far loops were unrolled, if that may not have been enough."""

    target: Target
    program: Program
    hardware: Hardware
    assumptions: tuple[str, ...]
    reached: bool
    limit: Limit | None
    bounded: str
    seconds: float


def judge(question: Question) -> Run:
    """The verdict of phase 4, with what it warns of."""
    proof, ended = _proof(question)
    search = _search(question) if question.limit is not None or ended is not None or proof.open else None
    smallest = True
    if search is not None and search.found is not None:
        provable = question.limit is None and ended is None and not question.bounded
        assumed = _assumed(question)
        search.found, smallest = simplest(
            question.target,
            question.program,
            [_at(dimension, assumed) for dimension in question.program.dimensions],
            question.hardware,
            search.found,
            question.seconds,
            provable=provable,
        )
    run = _judged(question, proof, ended, search, smallest=smallest)
    if run.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED):
        return run
    return replace(run, warnings=_warnings(question, proof, search))


def _warnings(question: Question, proof: Proof, search: _Search | None) -> tuple[KernelWarning, ...]:
    """What the kernel does in vain. A kernel that has a fault is looked at on the shape that shows it."""
    assumed = _assumed(question)
    dimensions = _narrowed(question.program.dimensions, assumed)
    proved = search is None and not question.bounded
    subject = Subject(question.target, question.program, question.hardware, question.seconds, proved)
    if search is not None and search.found is not None:
        return warnings(subject, [search.found.values], (), search.found)
    small = chain(_shapes(dimensions)[0], islice(_solved(dimensions, assumed, lambda: True), 1))
    unwritten = proof.reads_unwritten if search is None else search.unwritten or False
    return warnings(subject, small, _larger(dimensions), unwritten)


def _judged(
    question: Question, proof: Proof, ended: Inconclusive | None, search: _Search | None, *, smallest: bool
) -> Run:
    """The verdict; `search` is None where the proof left nothing open. `smallest`: no simpler shape has a fault."""
    if search is None:
        if not question.reached or not proof.claims:
            return _run(question, Verdict.VACUOUS, reason="no tensor is read, written or returned")
        bounded = question.bounded
        return _run(question, Verdict.SUCCESSFUL, bounded, claims=proof.claims, closed={"sets": proof.claims})
    if question.limit is None and not search.inside and _is_empty(question.program):
        return _run(question, Verdict.VACUOUS, reason="no run comes to its end: the domain is empty")
    if search.found is not None:
        violations = _violations(question, search.found, smallest)
        if violations:
            return _run(question, Verdict.FAILED, claims=max(proof.claims, 1), violations=violations)
    reason = _why(question, proof, ended)
    if question.limit is not None:
        return _unknown(question, question.limit.construct, reason, question.limit.site, question.limit.advice)
    if search.late or isinstance(ended, OutOfTime):
        return _unknown(question, "time-out", reason, _site(proof.open), ADVICE_TIME)
    if search.doubt:
        reason = reason if search.doubt in reason else f"{reason}; {search.doubt}"
        # Whatever other phases are about comes first.
        advice = "mend what that phase finds" if search.doubt.endswith((" (phase 1)", " (phase 2)")) else ""
        return _unknown(question, search.doubt, reason, _site(proof.open), advice)
    if not search.tried:
        return _unknown(question, "no shape could be run", reason, _site(proof.open))
    looked = {"shapes": search.tried}
    if search.complete:
        return _run(question, Verdict.SUCCESSFUL, question.bounded, claims=search.claims, closed=looked)
    shapes = f"bounded {search.tried} shapes"
    return _run(question, Verdict.SUCCESSFUL, shapes, claims=search.claims, closed=looked, reason=reason)


def _proof(question: Question) -> tuple[Proof, Inconclusive | None]:
    """What is shown for all shapes, and what ended that early."""
    if question.limit is not None:
        return Proof(), None
    try:
        # A domain of one shape is decided by one concrete run, if the sets are not simple.
        operations = MAX_OPERATIONS if question.program.dimensions else MAX_OPERATIONS // 16
        return prove(question.program, question.hardware.generation, question.seconds, operations), None
    except Inconclusive as reason:
        return Proof(), reason


# --- searching --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    found: Trial | None = None
    #: Shapes of the domain that were run, and those of them that tell something.
    inside: int = 0
    tried: int = 0
    claims: int = 0
    complete: bool = False
    doubt: str = ""
    #: A run that read unwritten elements which reach no output.
    unwritten: Trial | None = None
    #: Whether the time limit of the target was over before the search was.
    late: bool = False


def _search(question: Question) -> _Search:
    """Run shapes of the domain, the simplest first, until one shows a fault or enough work has been done."""
    result = _Search()
    assumed = _assumed(question)
    dimensions = _narrowed(question.program.dimensions, assumed)
    deadline = time.process_time() + question.seconds
    allowed = SHAPE_WORK if dimensions else ONLY_WORK
    spent = 0
    shapes, complete = _shapes(dimensions)
    for values in chain(shapes, _solved(dimensions, assumed, lambda: not result.inside)):
        left = deadline - time.process_time()
        result.late = left <= 0
        if result.late or spent >= SEARCH_WORK:
            return result
        trial = attempt(question.target, values, question.hardware, left, allowed)
        spent += trial.work
        if trial.outside:
            continue
        result.late = bool(trial.unusable) and time.process_time() > deadline
        if result.late or (trial.large and result.tried):
            return result
        result.inside += 1
        if trial.unusable:
            result.doubt = result.doubt or trial.unusable
            continue
        findings = trial.findings
        if findings.doubts:
            result.doubt = findings.doubts[0]
            continue
        result.tried += 1
        result.claims = max(result.claims, findings.looked_at)
        if findings.origins and result.unwritten is None:
            result.unwritten = trial
        if findings.faults:
            result.found = trial
            return result
    result.complete = complete
    return result


def _assumed(question: Question) -> list[Condition | bool]:
    """What the target, or an assert of the kernel that is part of the domain, says of the dimensions."""
    texts = {"domain", *question.assumptions}
    found = [item for item in question.program.body.items if isinstance(item, Assume) and item.text in texts]
    return [item.condition for item in found]


def _narrowed(
    dimensions: Sequence[DomainDimension], assumed: Sequence[Condition | bool]
) -> tuple[DomainDimension, ...]:
    """The dimensions with the divisors, and the range or the one value, that are assumed of them: others are not in the
    domain."""
    ranges = Facts().extended(*assumed).ranges
    return tuple(
        _at(dimension, assumed)
        if dimension.choices
        else _within(_at(dimension, assumed), ranges.get(dimension.atom), _divisor(dimension, assumed))
        for dimension in dimensions
    )


def _within(dimension: DomainDimension, known: tuple[float, float] | None, divisor: int) -> DomainDimension:
    low, high = known or (-inf, inf)
    top = dimension.high if dimension.high is not None else INT32_MAX
    found = replace(
        dimension,
        multiple_of=divisor,
        low=max(dimension.low, int(low)) if low > -inf else dimension.low,
        high=min(top, int(high)) if high < inf else dimension.high,
    )
    # Of an empty domain nothing is left: what it is then is for the runs to say.
    return found if smallest_legal(found) <= (top if found.high is None else found.high) else dimension


def _at(dimension: DomainDimension, assumed: Sequence[Condition | bool]) -> DomainDimension:
    """A dimension with the value it is assumed to have, as in a sweep."""
    atom = terms.of_atom(dimension.atom)
    for condition in assumed:
        if isinstance(condition, Comparison) and condition.relation is Relation.EQUAL:
            for value in (terms.add(atom, condition.term, -1).constant, terms.add(atom, condition.term).constant):
                high = INT32_MAX if dimension.high is None else dimension.high
                if value is not None and dimension.low <= value <= high and value % dimension.multiple_of == 0:
                    return replace(dimension, low=value, high=value)
    return dimension


def _divisor(dimension: DomainDimension, assumed: Sequence[Condition | bool]) -> int:
    atom = terms.of_atom(dimension.atom)
    found = dimension.multiple_of
    for condition in assumed:
        for part in condition.atoms() if isinstance(condition, Condition) else ():
            if isinstance(part, Div) and part.numerator is atom and (part.denominator.constant or 0) > 0:
                whole = terms.multiply(terms.of_atom(part), part.denominator)
                if conditions.equals_zero(terms.add(atom, whole, -1)) is condition:
                    found = lcm(found, part.denominator.constant or 1)
    return found


def _solved(
    dimensions: Sequence[DomainDimension], domain: Sequence[Condition | bool], wanted: Callable[[], bool]
) -> Iterator[dict[str, int]]:
    """Shapes that a solver finds in the domain; for domains in which small numbers alone do not fit together."""
    assumed = list(domain)
    while dimensions and wanted() and len(assumed) < len(domain) + MAX_SHAPES:
        question = SmtQuestion(assumed, QUESTION_MS)
        if question.satisfiable() is not Answer.YES:
            return
        model = [(dimension.atom, question.model.get(dimension.atom, 0)) for dimension in dimensions]
        yield {atom.name: value for atom, value in model}
        same = [conditions.equals_zero(terms.add(terms.of_atom(a), terms.constant(-value))) for a, value in model]
        assumed.append(conditions.negate(conditions.conjunction(same)))


def _is_empty(program: Program) -> bool:
    """Whether no values of the dimensions satisfy all that is assumed on every path."""
    assumed = [item.condition for item in program.body.items if isinstance(item, Assume)]
    return SmtQuestion(assumed, QUESTION_MS).satisfiable() is Answer.NO


def _shapes(dimensions: Sequence[DomainDimension]) -> tuple[Iterator[dict[str, int]], bool]:
    """Values of the dimensions, and whether they are all of the domain: the simplest first, but soon such as have one
    dimension just past a tile, which time might be over for otherwise."""
    candidates = [_values(dimension) for dimension in dimensions]
    names = [dimension.atom.name for dimension in dimensions]
    values = [found for found, _ in candidates]
    complete = prod(map(len, values)) <= MAX_SHAPES and all(full for _, full in candidates)
    ranks = range(sum(len(found) - 1 for found in values) + 1)
    ordered = [_of_rank(values, rank) for rank in ranks]
    # A dictionary keeps the first of equal shapes.
    shapes = dict.fromkeys(islice(chain(*ordered[:2], _past_tiles(values), *ordered[2:]), 2 * MAX_SHAPES))
    return (dict(zip(names, shape, strict=True)) for shape in islice(shapes, MAX_SHAPES)), complete


def _past_tiles(candidates: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Choices of the first values but for one dimension, which takes one element more than a tile has."""
    for place, values in enumerate(candidates):
        for value in (edge + 1 for edge in _EDGES if edge + 1 in values):
            yield tuple(value if other == place else found[0] for other, found in enumerate(candidates))


def _larger(dimensions: Sequence[DomainDimension]) -> Iterator[dict[str, int]]:
    """Shapes with more than one iteration in most loops: every dimension its second value, or the first past a tile."""
    candidates = {dimension.atom.name: _values(dimension)[0] for dimension in dimensions}
    seconds = {name: values[min(1, len(values) - 1)] for name, values in candidates.items()}
    past = {
        dimension.atom.name: next(
            (value for value in candidates[dimension.atom.name] if value > _EDGES[0] and dimension.multiple_of == 1),
            seconds[dimension.atom.name],
        )
        for dimension in dimensions
    }
    smallest = {name: values[0] for name, values in candidates.items()}
    yield from (shape for shape in ([seconds] if past == seconds else [seconds, past]) if shape != smallest)


def _of_rank(candidates: Sequence[Sequence[int]], rank: int) -> Iterator[tuple[int, ...]]:
    """Choices of one value each, whose positions in their lists sum up to `rank`."""
    if not candidates:
        if rank == 0:
            yield ()
        return
    for position in range(min(rank, len(candidates[0]) - 1), -1, -1):
        for rest in _of_rank(candidates[1:], rank - position):
            yield (candidates[0][position], *rest)


def _values(dimension: DomainDimension) -> tuple[list[int], bool]:
    """Values of one dimension to try, and whether there are no others."""
    low, step = smallest_legal(dimension), dimension.multiple_of
    high = dimension.high if dimension.high is not None else INT32_MAX
    count = (high - low) // step + 1
    if count <= 2 * _STEPS:
        return list(range(low, high + 1, step)), True
    found = [low + step * number for number in range(_STEPS)]
    if step == 1:
        found += [edge + off for edge in _EDGES for off in (-1, 0, 1) if low < edge + off <= high]
    return sorted(set(found)), False


# --- the record -------------------------------------------------------------------------------------------------------


def _violations(question: Question, trial: Trial, smallest: bool) -> list[Violation]:
    labels = argument_labels(question.target, trial.values, question.hardware) if trial.values else {}
    seen = look(question.target, trial, question.hardware, max(1.0, question.seconds))
    return [_violation(question, trial, one, labels, smallest) for one in seen]


def _violation(
    question: Question, trial: Trial, seen: Seen, labels: dict[str, tuple[str, ...]], smallest: bool
) -> Violation:
    rule = contract(seen.fault.contract)
    quantities = (("tensor", seen.fault.tensor), *seen.fault.quantities)
    claim = Claim(0, rule, False, PHASE, seen.site, "", quantities)
    decision = Decision(claim, Outcome.REFUTED, Rung.CONSTANT, ())
    values = {dimension.atom.name: trial.values[dimension.atom.name] for dimension in question.program.dimensions}
    witness = Witness(values, {}, smallest=smallest)
    known = Circumstances(replayed=True, observation=seen.observation, labels=labels)
    return violation_of(decision, witness, question.program, known)


def _why(question: Question, proof: Proof, ended: Inconclusive | None) -> str:
    if question.limit is not None:
        place = f" at {question.limit.site}" if question.limit.site is not None else ""
        return f"{question.limit.construct}{place}"
    if ended is not None:
        return str(ended)
    if not proof.open:
        return ""
    first = proof.open[0]
    place = f" at {first.site}" if first.site is not None else ""
    return (
        f"{len(proof.open)} of {proof.claims} claims are open for all shapes: {first.contract}{place}, {first.reason}"
    )


def _site(still_open: Sequence[Open]) -> Site | None:
    return next((claim.site for claim in still_open if claim.site is not None), None)


def _unknown(question: Question, qualifier: str, reason: str, site: Site | None, advice: str = "") -> Run:
    place = None
    if site is not None:
        place = Place(site.file, site.line, site.column, site.end_line, site.end_column, site.function)
    advice = advice or "verify the kernel for concrete shapes, or leave this phase out: --phase 1,2,3"
    return _run(question, Verdict.UNKNOWN, qualifier, reason=reason, place=place, advice=advice)


def _run(
    question: Question,
    verdict: Verdict,
    qualifier: str = "",
    *,
    claims: int = 0,
    closed: dict[str, int] | None = None,
    violations: Sequence[Violation] = (),
    reason: str = "",
    place: Place | None = None,
    advice: str = "",
) -> Run:
    target = question.target
    return Run(
        target=target.name,
        kernel=target.kernel,
        family=target.family,
        kind=target.kind,
        phase=PHASE,
        engine=EmbeddedEngine.name,
        expected=target.expect.get(PHASE),
        verdict=verdict,
        qualifier=qualifier,
        claims=claims,
        closed_by=closed or {},
        assumptions=question.assumptions,
        violations=tuple(violations),
        reason=reason,
        flags=target.flags,
        tags=target.tags,
        place=place,
        advice=advice,
    )
