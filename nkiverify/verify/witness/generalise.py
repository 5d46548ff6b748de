"""Saying which other shapes fail as well: `any N > 512 fails`, where the solver has confirmed it.

For a dimension that the smallest witness had to move, all larger legal values are asked about, first with every other
dimension free, then with the others as in the witness. A loop index is given the value of the witness, or the last one
of its loop. A statement is made only where no legal shape it covers passes the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from nkiverify.engines.embedded import Decision
from nkiverify.engines.minimise import Witness
from nkiverify.foundation.clock import Allowance
from nkiverify.ir.program import Assume, Block, Claim, DomainDimension, Program
from nkiverify.ir.walk import of_kind, walk
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Term
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.prover import BUDGETS, Prover


def generalisation(program: Program, decision: Decision, witness: Witness, allowed: Allowance) -> dict[str, str]:
    """The shapes that are known to fail besides the witness, in words, by the name of the dimension it is about, as
    far as what is `allowed` suffices to find out."""
    domain = {condition.uid for condition in domain_conditions(program.body, decision.claim) or ()}
    hypotheses = [condition for condition in decision.hypotheses if isinstance(condition, Condition)]
    legal = [condition for condition in hypotheses if condition.uid in domain]
    path = [condition for condition in hypotheses if condition.uid not in domain]
    passing = [
        conditions.disjunction([*map(negate, reached), holds])
        for reached, holds in _instances(path, decision.claim.condition, witness)
    ]

    def fails(given: Sequence[Condition | bool]) -> bool:
        return any(not allowed.used_up and _impossible(given, passes) for passes in passing)

    tiles = {each.atom.name: divisors(each, passing) for each in program.dimensions}
    return others_failing(program.dimensions, witness.values, legal, tiles, fails)


def others_failing(
    dimensions: Sequence[DomainDimension],
    values: Mapping[str, int],
    legal: Sequence[Condition | bool],
    tiles: Mapping[str, Collection[int]],
    fails: Callable[[Sequence[Condition | bool]], bool],
    smallest: bool = True,
) -> dict[str, str]:
    """Statements about shapes that fail next to `values`, by the name of the dimension they are about.

    `fails` says of conditions whether every shape fails for which they hold, `legal` are those of the domain, `tiles`
    what each dimension is divided by. `smallest`: with any dimension at its smallest a shape passes.
    """
    found: dict[str, str] = {}
    moved = any(values[each.atom.name] != each.smallest for each in dimensions)
    for dimension in dimensions:
        value = values[dimension.atom.name]
        if dimension.choices or _largest(dimension, value):
            continue
        others = [each.equals(values[each.atom.name]) for each in dimensions if each is not dimension]
        if moved and (value == dimension.smallest or not smallest) and fails([*legal, *others]):
            # Any value will do, as long as the others are as they are: this dimension has no part in it.
            continue
        for words, covered in _statements(dimension, value, tiles[dimension.atom.name], bool(others), moved):
            if fails([*legal, *covered, *(others if words.endswith(_OTHERS_FIXED) else ())]):
                found[dimension.atom.name] = words
                break
    return found


#: What is added to a statement that holds for the other dimensions of the witness only.
_OTHERS_FIXED = ", the others being as they are"


def _statements(
    dimension: DomainDimension, value: int, tiles: Collection[int], others: bool, moved: bool
) -> Iterator[tuple[str, list[Condition | bool]]]:
    """The statements about a dimension with the conditions it is said under, the most general first."""
    name = dimension.atom.name
    if value == dimension.smallest:
        # Where a dimension had to move, the smallest shape passes, which this would be about as well.
        if not moved:
            yield f"any {name} fails", []
    else:
        more = [dimension.at_least(value)]
        yield f"any {name} > {value - dimension.multiple_of} fails", more
        if others:
            yield f"any {name} > {value - dimension.multiple_of} fails{_OTHERS_FIXED}", more
    for divisor in sorted(tiles, reverse=True):
        if value % divisor:
            atom = terms.of_atom(dimension.atom)
            rest = terms.add(atom, terms.scale(terms.divide(atom, terms.constant(divisor)), -divisor))
            uneven = [negate(conditions.equals_zero(rest))]
            yield f"any {name} that is no multiple of {divisor} fails", uneven
            if others:
                yield f"any {name} that is no multiple of {divisor} fails{_OTHERS_FIXED}", uneven


def divisors(dimension: DomainDimension, mentioned: Iterable[Condition | bool]) -> set[int]:
    """Constants by which something with the dimension in it is divided: the tiles of the kernel."""
    atoms = {atom for condition in mentioned if isinstance(condition, Condition) for atom in condition.atoms()}
    return {
        atom.denominator.constant
        for atom in atoms
        if isinstance(atom, Div) and atom.denominator.constant is not None and dimension.atom in atom.numerator.atoms
    } - {0, 1}


def domain_conditions(block: Block, claim: Claim) -> list[Condition] | None:
    """The assumptions of the target itself on the way to `claim`; None where the claim is not in `block`."""
    given = {id(item.condition) for item in of_kind(block, Assume) if item.text in ("domain", "any domain")}
    path = next((path for path, item in walk(block) if item is claim), None)
    if path is None:
        return None
    return [one for one in path.conditions if id(one) in given and isinstance(one, Condition)]


def _largest(dimension: DomainDimension, value: int) -> bool:
    return dimension.high is not None and value + dimension.multiple_of > dimension.high


def _impossible(given: Sequence[Condition | bool], passes: Condition | bool) -> bool:
    return Prover(given, BUDGETS.statement).refutes(passes)


def _instances(
    path: Sequence[Condition | bool], claim: Condition | bool, witness: Witness
) -> Iterator[tuple[list[Condition | bool], Condition | bool]]:
    """Path conditions and claim for the iteration of the witness, and for the last iteration of every loop.

    An iteration that fails is enough: each instance is a way to fail that the path conditions do not exclude.
    """
    indices = {
        atom
        for condition in (*path, claim)
        if isinstance(condition, Condition)
        for atom in condition.atoms()
        if isinstance(atom, Index)
    }
    if any(atom.representative for atom in indices) or not indices <= witness.assignment.keys():
        return
    yield _instance(path, claim, {atom: terms.constant(witness.assignment[atom]) for atom in indices})
    if indices:
        last: dict[Atom, Term] = {}
        # Outer loops were entered first: the extents of inner ones may mention their indices.
        for atom in sorted(indices, key=lambda atom: atom.uid):
            last[atom] = terms.add(terms.substitute(atom.extent, last), terms.constant(-1))
        yield _instance(path, claim, last)


def _instance(
    path: Sequence[Condition | bool], claim: Condition | bool, values: dict[Atom, Term]
) -> tuple[list[Condition | bool], Condition | bool]:
    return [conditions.substituted(condition, values) for condition in path], conditions.substituted(claim, values)
