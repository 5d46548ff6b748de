"""Directives of the legacy compiler, which say how instructions are scheduled and nothing about what they touch."""

from __future__ import annotations


class KeptOrder:
    """`compiler.no_reorder()`: instructions keep their order, in a `with` block or as `directives=` of a loop."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
