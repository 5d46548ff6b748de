"""The object that an instruction returns while a kernel is traced."""

from __future__ import annotations


class NkiInstruction:
    """The handle of an instruction. Ordering edges change no shape, so nothing is recorded."""

    def __init__(self, handle: object) -> None:
        self.handle = handle

    def depends_on(self, *producers: object) -> None:
        """An ordering edge from each producer ("NkiInstruction.depends_on")."""


#: The handle of every instruction: nothing distinguishes them.
ISSUED = NkiInstruction(None)
