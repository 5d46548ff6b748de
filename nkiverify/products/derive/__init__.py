"""For which shapes a kernel is legal: preconditions that are found from runs, and proved as a domain."""

from nkiverify.products.derive.derivation import derive
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, shown
from nkiverify.products.derive.statements import Derived, Precondition, already_proved

__all__ = ["ConcreteResult", "Derived", "Precondition", "ShapeOutcome", "already_proved", "derive", "shown"]
