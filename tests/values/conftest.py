"""Every run on numbers in these tests also follows what is known of numbers, and compares."""

from __future__ import annotations

import pytest

from nkiverify.products.simulate import simulator
from tests.values import followed


@pytest.fixture(autouse=True)
def _followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "ComputedElements", followed.FollowedElements)
    monkeypatch.setattr(simulator, "array_argument", followed.followed_argument)
