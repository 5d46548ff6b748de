"""The identity of an object as a number.

Python tells audit hooks of each call of `id`. Where that of `frontend/guard.py` is installed, it takes ten times as
long as the call itself, and runs ask for millions of identities. Of calls of this function nobody is told.
"""

from __future__ import annotations

from collections.abc import Callable

#: Different for any two objects that are there at the same time, as `id` is; the class of an object has no say in it.
identity: Callable[[object], int] = object.__hash__
