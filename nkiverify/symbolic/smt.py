"""Terms and conditions as SMT-LIB text, and Z3 to answer questions about them, over unbounded integers."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import STEPS_PER_MS, by_the_wall, count_steps
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction

if TYPE_CHECKING:
    import z3


class Answer(enum.Enum):
    """The answer of a solver to a question."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Script:
    """SMT-LIB text of conditions, with a constant per atom and the axioms that say what the atom is.

    Text, rather than objects of Z3's Python interface: parsing it costs a tenth of building those.
    """

    def __init__(self) -> None:
        self._names: dict[Atom, str] = {}
        self._axioms: list[str] = []

    def assertions(self, conditions: Iterable[Condition | bool]) -> str:
        """Commands that assert `conditions`, with all declarations and axioms they need."""
        stated = [f"(assert {self._condition(condition)})" for condition in conditions]
        declared = [f"(declare-const {name} Int)" for name in self._names.values()]
        return "\n".join([*declared, *(f"(assert {axiom})" for axiom in self._axioms), *stated])

    def atoms(self) -> dict[str, Atom]:
        """The atoms met, by the name of their constant."""
        return {name: atom for atom, name in self._names.items()}

    def _term(self, term: Term) -> str:
        parts = [self._monomial(atoms, coefficient) for atoms, coefficient in term.monomials.items()]
        if not parts:
            return "0"
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"

    def _monomial(self, atoms: tuple[Atom, ...], coefficient: int) -> str:
        factors = [self._name(atom) for atom in atoms]
        if coefficient != 1 or not factors:
            factors.insert(0, str(coefficient) if coefficient >= 0 else f"(- {-coefficient})")
        return factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})"

    def _condition(self, condition: Condition | bool) -> str:
        if isinstance(condition, bool):
            return "true" if condition else "false"
        if isinstance(condition, Comparison):
            relation = {"<=": "<=", "==": "=", "!=": "distinct"}[condition.relation.value]
            return f"({relation} {self._term(condition.term)} 0)"
        assert isinstance(condition, Junction)
        word = "and" if condition.conjunction else "or"
        return f"({word} {' '.join(self._condition(part) for part in condition.parts)})"

    def _name(self, atom: Atom) -> str:
        name = self._names.get(atom)
        if name is None:
            # Numbered by this script: Z3's answers depend on the names.
            name = f"{type(atom).__name__.lower()}!{len(self._names)}"
            self._names[atom] = name
            self._define(atom, name)
        return name

    def _define(self, atom: Atom, name: str) -> None:
        if isinstance(atom, Index):
            # The range of a loop index holds inside its loop and is among the hypotheses there.
            if atom.representative:
                self._axioms.append(f"(and (>= {name} 0) (< {name} {self._term(atom.extent)}))")
        elif isinstance(atom, Div):
            self._define_division(atom, name)
        elif isinstance(atom, Min):
            values = [self._term(part) for part in atom.terms]
            self._axioms.extend(f"(<= {name} {value})" for value in values)
            self._axioms.append(f"(or {' '.join(f'(= {name} {value})' for value in values)})")
        elif isinstance(atom, Select):
            condition = self._condition(atom.condition)
            one, two = self._term(atom.when_true), self._term(atom.when_false)
            self._axioms.append(f"(= {name} (ite {condition} {one} {two}))")

    def _define_division(self, atom: Div, name: str) -> None:
        # Floor division, exactly as Python's; nothing is said for a denominator of zero.
        top, bottom = self._term(atom.numerator), self._term(atom.denominator)
        rest = f"(- {top} (* {bottom} {name}))"
        positive = f"(and (>= {rest} 0) (< {rest} {bottom}))"
        value = atom.denominator.constant
        if value is not None and value > 0:
            self._axioms.append(positive)
            return
        self._axioms.append(f"(=> (> {bottom} 0) {positive})")
        self._axioms.append(f"(=> (< {bottom} 0) (and (<= {rest} 0) (> {rest} {bottom})))")


#: What was answered, with the assignment, by the numbers of all conditions and the steps that it might take. Paths and
#: phases come to the same questions.
_answered: dict[tuple[frozenset[int], int], tuple[Answer, dict[Atom, int]]] = {}


class Question:
    """Hypotheses to ask about several times.

    `milliseconds` say how hard Z3 tries: they are counted in its own steps, so that its answer does not depend on what
    else the machine does. `seconds` are those of `now` that an answer may take at most. Each question has a context
    of its own: in a shared one Z3's answers, and the assignments it finds, depend on what it was asked before.
    """

    def __init__(
        self, hypotheses: Iterable[Condition | bool], milliseconds: int, seconds: float = float("inf")
    ) -> None:
        self._hypotheses = list(hypotheses)
        self.milliseconds = milliseconds
        self._steps = milliseconds * STEPS_PER_MS
        self._longest = max(1, int(min(milliseconds * ProvingBudget.BUSY_FACTOR, by_the_wall(seconds) * 1000)))
        #: Values of the atoms in the last satisfying assignment; atoms that do not matter are left out.
        self.model: dict[Atom, int] = {}

    @of_stage(Stage.SOLVING)
    def satisfiable(self, *conditions: Condition | bool) -> Answer:
        """True if the hypotheses and `conditions` hold together for some integers; `model` then has such integers."""
        together = [*self._hypotheses, *conditions]
        if any(one is False for one in together):
            return Answer.NO
        stated = {one.uid: one for one in together if isinstance(one, Condition)}
        key = frozenset(stated), self._steps
        if key not in _answered:
            answer, model, steps = self._asked(stated.values())
            if answer is Answer.UNKNOWN and steps < self._steps:
                # The clock has ended it: with more time it may be answered.
                return answer
            if len(_answered) >= ProvingBudget.ANSWERS_KEPT:
                _answered.clear()
            _answered[key] = answer, model
        answer, model = _answered[key]
        if answer is Answer.YES:
            self.model = dict(model)
        return answer

    def _asked(self, stated: Iterable[Condition | bool]) -> tuple[Answer, dict[Atom, int], int]:
        """The answer of Z3, the assignment it finds, and the steps it takes."""
        import z3  # as late as this: most claims of most kernels are decided without it, and it is slow to load

        script = Script()
        text = script.assertions(stated)
        solver = z3.Solver(ctx=z3.Context())
        solver.set("rlimit", self._steps)
        solver.set("timeout", self._longest)
        solver.from_string(text)
        answer = solver.check()
        steps = solver.statistics().get_key_value("rlimit count")
        count_steps(steps)
        if answer == z3.sat:
            return Answer.YES, _values(solver.model(), script.atoms()), steps
        return Answer.NO if answer == z3.unsat else Answer.UNKNOWN, {}, steps


def _values(model: z3.ModelRef, atoms: dict[str, Atom]) -> dict[Atom, int]:
    import z3

    values: dict[Atom, int] = {}
    for declaration in model:
        atom = atoms.get(declaration.name())
        value = model[declaration]
        if atom is not None and z3.is_int_value(value):
            values[atom] = value.as_long()
    return values
