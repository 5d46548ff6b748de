"""What goes wrong is said with the numbers of the witness."""

from __future__ import annotations

import pytest

from nkiverify.verify.witness.sentences import sentence


@pytest.mark.parametrize(
    ("rule", "quantities", "words"),
    [
        ("idx.oob", {"start": 0, "stop": 129, "extent": 128}, "the slice 0:129 leaves an extent of 128"),
        (
            "idx.oob",
            {"start": 128, "stop": 256, "extent": 129, "dimension": 0},
            "the slice 128:256 leaves dimension 0 of extent 129",
        ),
        ("idx.oob", {"start": -1, "extent": 128}, "the slice starts at -1"),
        ("idx.oob", {"index": 128, "extent": 128}, "the index 128 leaves an extent of 128"),
        ("idx.oob", {"index": 3, "extent": 3, "dimension": 1}, "the index 3 leaves dimension 1 of extent 3"),
        ("idx.oob", {"index": -1, "extent": 128}, "the index is -1"),
        ("leg.oob_static", {"extent": 7}, "an index leaves an extent of 7"),
        (
            "leg.oob_static",
            {"index": (128, 255), "extent": 129, "dimension": 0},
            "the indices 128 to 255 leave dimension 0 of extent 129",
        ),
        ("idx.empty", {"start": 2, "stop": 2}, "the slice 2:2 is empty"),
        ("df.output_written", {"tensor": "out", "element": (0, 512)}, "out[0, 512] is never written"),
        ("df.read_unwritten", {"tensor": "acc", "element": (0,)}, "acc[0] is read unwritten"),
        (
            "df.programs",
            {"tensor": "out", "element": (0, 0), "program": 1},
            "program 1 touches out[0, 0], which another writes",
        ),
        ("df.affine_range", {"tensor": "y", "element": (0, 0)}, "several iterations touch y[0, 0]"),
        ("df.read_unwritten", {"tensor": "t", "element": (0, 2), "at": (0, 6)}, "t[0, 6] is read unwritten"),
        ("df.output_parameter", {"tensor": "y", "operand": "dst"}, "the argument y is written and not returned"),
        ("kernel.exception", {"raised": "KeyError: 'a'"}, "raises KeyError: 'a'"),
        ("dma_copy.count", {"dst": (128, 1), "src": (127, 1)}, ""),
    ],
)
def test_the_words_have_the_numbers(rule: str, quantities: dict[str, object], words: str) -> None:
    assert sentence(rule, quantities) == words
