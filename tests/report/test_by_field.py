"""The codec of results: what is written is what is read, whatever the fields of the records are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkiverify.foundation.records import (
    AcceptedFinding,
    Decided,
    KernelWarning,
    Kind,
    Line,
    LiveTensor,
    LoopValue,
    MemoryPeak,
    Run,
    Span,
    Tile,
    Verdict,
    Violation,
)
from nkiverify.foundation.source import Site
from nkiverify.results import codec, file
from nkiverify.results.codec import decoded, encoded

ROOT = Path("/checkout")
SITE = Site("kernels/k.py", 3, 4, 3, 20, "helper")
LOOP = LoopValue("kernels/k.py", 2, "k = 1", "kernel")
RUN = Run(
    target="t",
    kernel="kernels/k.py::k",
    family="f",
    kind=Kind.HOST_ARITHMETIC,
    phase=3,
    engine="embedded",
    expected=Verdict.FAILED,
    verdict=Verdict.FAILED,
    milliseconds=1.25,
    closed_by={"z3": 2},
    violations=(
        Violation("c.id", "s", "PAGE", "kernels/k.py", 3, "m", {"n": 2, "mode": "a"}, calls=(SITE,), loops=(LOOP,)),
    ),
    place=SITE,
    decided=(Decided("kernels/k.py", "c.id", "refuted", "z3", (3, 4)), Decided("", "d.id", "undecided", "", (0,))),
    memory=(
        MemoryPeak(
            "sbuf",
            8,
            "2*n",
            {"n": 2},
            None,
            SITE,
            (LiveTensor("t", "2*n"),),
            {"n": None},
            (Line("kernels/k.py", 3),),
            (Tile("t", SITE, ("n",), "float16", "2*n", (Span(0, 0, 4),)),),
        ),
    ),
    warnings=(
        KernelWarning("df.unused", "s", "kernels/k.py", 3, "m", "t", (0, 1), {"n": 2}, "for all shapes", also=(SITE,)),
    ),
    accepted=(AcceptedFinding("c.id", "kernels/k.py", 3, "m", "why", "--ignore", {"n": 2}),),
)


def test_a_run_that_is_written_is_read_as_it_was() -> None:
    assert file.run(json.loads(json.dumps(codec.entry(RUN, ROOT)))) == RUN


def test_a_key_of_a_later_program_is_passed_over_and_a_field_with_a_default_may_be_missing() -> None:
    entry = {"file": "kernels/k.py", "line": 3, "colour": "red"}
    assert decoded(Site, entry) == Site("kernels/k.py", 3)
    with pytest.raises(TypeError, match="line"):
        decoded(Site, {"file": "kernels/k.py"})
    with pytest.raises(ValueError, match="PASSED"):
        decoded(Run, {**codec.entry(RUN, ROOT), "verdict": "PASSED", "decided": ()})


def test_files_inside_the_root_are_relative_to_it_in_names_and_in_prose() -> None:
    inside = AcceptedFinding("c.id", "/checkout/a.py", 1, "see /checkout/b.py:2", "/checkout/c.py", "/checkout/d.py:3")
    assert encoded(inside, ROOT) == {
        "rule": "c.id",
        "file": "a.py",
        "line": 1,
        "message": "see b.py:2",
        # The user's words, which nobody rewrites.
        "reason": "/checkout/c.py",
        "source": "d.py:3",
        "witness": {},
    }
