"""The allocation that made a storage, whatever the iterations of the loops around it are."""

from __future__ import annotations

from typing import Any

from nkiverify.model.tensor import Storage
from nkiverify.symbolic.atoms import Term

#: What identifies an allocation, or an argument.
Key = tuple[object, ...]


def key_of(storage: Storage) -> Key:
    """The allocation a storage was made by."""
    identity: Any = storage.identity
    return ("allocated", identity.key) if hasattr(identity, "indices") else ("argument", identity)


def indices_of(storage: Storage) -> tuple[Term, ...]:
    """The indices of the loops around the allocation."""
    return tuple(getattr(storage.identity, "indices", ()))
