"""Terms and conditions in Z3, over unbounded integers."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import z3

from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.terms import Atom, Dimension, Div, Index, Min, Select, Term


class Answer(enum.Enum):
    """What a solver said of a question."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Translation:
    """One Z3 vocabulary: a variable per atom, with the axioms that say what the atom is."""

    def __init__(self) -> None:
        self.variables: dict[Atom, z3.ArithRef] = {}
        #: Axioms of the atoms met so far and not yet taken by `new_axioms`.
        self._axioms: list[z3.BoolRef] = []

    def term(self, term: Term) -> z3.ArithRef:
        """`term` in Z3."""
        parts: list[z3.ArithRef] = []
        for monomial, coefficient in term.monomials.items():
            factors = [self._variable(atom) for atom in monomial]
            product = z3.IntVal(coefficient) if coefficient != 1 or not factors else None
            for factor in factors:
                product = factor if product is None else product * factor
            assert product is not None
            parts.append(product)
        if not parts:
            return z3.IntVal(0)
        return parts[0] if len(parts) == 1 else z3.Sum(parts)

    def condition(self, condition: Condition | bool) -> z3.BoolRef:
        """`condition` in Z3."""
        if isinstance(condition, bool):
            return z3.BoolVal(condition)
        if isinstance(condition, Comparison):
            value = self.term(condition.term)
            if condition.relation is Relation.AT_MOST:
                return value <= 0
            return value == 0 if condition.relation is Relation.EQUAL else value != 0
        assert isinstance(condition, Junction)
        parts = [self.condition(part) for part in condition.parts]
        return z3.And(parts) if condition.conjunction else z3.Or(parts)

    def new_axioms(self) -> list[z3.BoolRef]:
        """The axioms of atoms translated since the last call."""
        taken, self._axioms = self._axioms, []
        return taken

    def _variable(self, atom: Atom) -> z3.ArithRef:
        variable = self.variables.get(atom)
        if variable is None:
            variable = z3.Int(f"{type(atom).__name__.lower()}!{atom.uid}")
            self.variables[atom] = variable
            self._define(atom, variable)
        return variable

    def _define(self, atom: Atom, variable: z3.ArithRef) -> None:
        if isinstance(atom, Dimension):
            return
        if isinstance(atom, Index):
            # The range of a loop index holds inside its loop and is among the hypotheses there.
            if atom.representative:
                self._axioms.append(z3.And(variable >= 0, variable < self.term(atom.extent)))
        elif isinstance(atom, Div):
            self._define_division(atom, variable)
        elif isinstance(atom, Min):
            values = [self.term(part) for part in atom.terms]
            self._axioms.extend(variable <= value for value in values)
            self._axioms.append(z3.Or([variable == value for value in values]))
        elif isinstance(atom, Select):
            condition = self.condition(atom.condition)
            self._axioms.append(variable == z3.If(condition, self.term(atom.when_true), self.term(atom.when_false)))

    def _define_division(self, atom: Div, variable: z3.ArithRef) -> None:
        # Floor division, exactly as Python's; nothing is said for a denominator of zero.
        top, bottom = self.term(atom.numerator), self.term(atom.denominator)
        rest = top - bottom * variable
        positive = z3.And(rest >= 0, rest < bottom)
        value = atom.denominator.constant
        if value is not None and value > 0:
            self._axioms.append(positive)
            return
        self._axioms.append(z3.Implies(bottom > 0, positive))
        self._axioms.append(z3.Implies(bottom < 0, z3.And(rest <= 0, rest > bottom)))


class Question:
    """Hypotheses in a solver, to ask about several times."""

    def __init__(self, hypotheses: Iterable[Condition | bool], milliseconds: int) -> None:
        self._translation = Translation()
        self._solver = z3.Solver()
        self._solver.set("timeout", max(1, milliseconds))
        #: Values of the atoms in the last satisfying assignment; atoms that do not matter are left out.
        self.model: dict[Atom, int] = {}
        self.suppose(*hypotheses)

    def suppose(self, *conditions: Condition | bool) -> None:
        """Add hypotheses."""
        for condition in conditions:
            self._solver.add(self._translation.condition(condition))
        self._solver.add(*self._translation.new_axioms())

    def satisfiable(self, *conditions: Condition | bool) -> Answer:
        """Whether the hypotheses and `conditions` hold together for some integers; `model` then has such integers."""
        known = dict(self._translation.variables)
        self._solver.push()
        try:
            self.suppose(*conditions)
            answer = self._solver.check()
            if answer == z3.sat:
                self.model = self._values(self._solver.model())
        finally:
            self._solver.pop()
            # The axioms of atoms first met in `conditions` have left the solver: they must be stated again.
            self._translation.variables = known
        if answer == z3.sat:
            return Answer.YES
        return Answer.NO if answer == z3.unsat else Answer.UNKNOWN

    def _values(self, model: z3.ModelRef) -> dict[Atom, int]:
        values: dict[Atom, int] = {}
        for atom, variable in self._translation.variables.items():
            value = model.eval(variable)
            if z3.is_int_value(value):
                values[atom] = value.as_long()
        return values
