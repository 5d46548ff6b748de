"""Asking about two kernels at the shapes that are chosen, and at others where both are legal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nkiverify.frontend.target import OutsideDomain
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from nkiverify.products.equiv.comparison_text import AnswersT, NeverRun

if TYPE_CHECKING:
    from nkiverify.products.equiv.compared_shapes import ComparedShapes

#: Shapes that are tried for what the kernels do at none of the others.
_MORE_SHAPES = 4


def at_all(
    shapes: ComparedShapes, asked: Callable[[dict[str, int], bool], AnswersT]
) -> tuple[list[tuple[dict[str, int], AnswersT]], list[NeverRun]]:
    """The answers at the chosen shapes, then at greater ones where both kernels are legal, and the ways of the kernels
    that none of them takes; `asked` hears whether it is to ask about others."""
    answers = [(shapes.chosen, asked(shapes.chosen, False))]

    def also(dimensions: dict[str, int]) -> bool:
        try:
            found = asked(dimensions, True)
        except OutsideDomain:
            return False
        if found.legal is None or found.legal.answer is not EquivalenceAnswer.YES:
            return False
        answers.append((dimensions, found))
        return True

    if shapes.greater is None or not also(shapes.greater):
        for dimensions in shapes.greater_by_one:
            also(dimensions)
    return answers, _untaken(shapes, answers, also)


def _untaken(
    shapes: ComparedShapes, answers: list[tuple[dict[str, int], AnswersT]], also: Callable[[dict[str, int]], bool]
) -> list[NeverRun]:
    """The ways of either kernel that none of the shapes takes, after those were tried that take some."""
    if shapes.untaken is None:
        return []
    tried = [dimensions for dimensions, _ in answers]
    left = shapes.untaken.at(tried)
    for _ in range(_MORE_SHAPES):
        reached = (shapes.untaken.shape(way, shapes.chosen) for way in left if not shapes.made_for_sizes)
        dimensions = next((one for one in reached if one is not None and one not in tried), None)
        if dimensions is None:
            break
        tried.append(dimensions)
        if also(dimensions):
            left = shapes.untaken.at([one for one, _ in answers])
    return [NeverRun(way.site, way.text) for way in left]
