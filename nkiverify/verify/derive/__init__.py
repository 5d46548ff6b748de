"""For which shapes a kernel is legal: preconditions that are found from runs, and proved as a domain."""

from nkiverify.verify.derive.derivation import Budget, Derived, Precondition, already_proved, derive

__all__ = ["Budget", "Derived", "Precondition", "already_proved", "derive"]
