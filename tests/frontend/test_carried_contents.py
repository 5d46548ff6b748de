"""What a summarised loop carries in storages: when its body has to run again."""

from __future__ import annotations

import pytest

from nkiverify.frontend.carried_contents import CarriedContents
from nkiverify.model.known_numbers import UNKNOWN, Contents, Value

PLACE = (None, (1,))


@pytest.mark.parametrize(
    ("looked_at", "left", "again"),
    [
        # What was not written yet was taken for unknown, and is not known afterwards either.
        ({PLACE: False}, UNKNOWN, False),
        ({PLACE: False}, Value.between(0, 7), True),
        ({PLACE: True}, UNKNOWN, True),
        ({}, Value.between(0, 7), False),
    ],
)
def test_a_body_runs_again_where_it_might_find_something_else(
    looked_at: dict[object, bool], left: Value, again: bool
) -> None:
    carried = CarriedContents(Contents())
    assert carried.verified([Contents({PLACE: left})], looked_at) is not again
    assert (carried.at_start.get(PLACE) is not None) is again
