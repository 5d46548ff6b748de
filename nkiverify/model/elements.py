"""The elements of tensors and the numbers of registers, as far as an execution knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nkiverify.model.known_numbers import Interval
from nkiverify.model.state import Program
from nkiverify.model.tensor import Register, Storage, Tensor


class Elements:
    """The elements of tensors and the numbers of registers in an execution, as a part of it: here none are known."""

    def given(self, storage: Storage) -> None:
        """An argument exists whose elements are given."""

    def index_range(self, index: Tensor | Register) -> Interval | None:
        """The least and the greatest number that an index tensor or register holds; None where they are not known."""
        return None

    def iterations(self, register: Register, start: object, stop: object, step: object) -> Iterator[None] | None:
        """The iterations of a device loop, its register set in each; None where its body is run once for all."""
        return None

    def while_rounds(self, condition: Callable[[], Register]) -> Iterator[None] | None:
        """The rounds of a device loop, as long as its condition is not 0; None where its body is run once for all."""
        return None

    def tested(self, register: Register) -> bool | None:
        """True if a bare `while register:` goes on; None where that is not known."""
        return None

    def shown(self, tensor: Tensor) -> str:
        """The elements of a tensor, where it has any, for its text."""
        return ""

    def results_of(self, programs: Iterable[Program], body: Callable[[Program], Any]) -> list[Any]:
        """The results of `body` for the programs of a launch, one after the other."""
        # `map` would take a StopIteration of the kernel's for the end of the programs.
        return [body(program) for program in programs]
