"""Results of operands of which a part is undefined: certain where it is used for sure, UNKNOWN where data decide."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32, uint8, uint32
from tests.dataflow.subject import Subject

HEAD = """
@nki.jit
def kernel(x, chosen, places):
    P, F = 32, 8
    out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
    full, mask, index = nl.load(x), nl.load(chosen), nl.load(places)
    # The last two columns, and the last row, are undefined.
    part = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(part[0:31, 0:6], x[0:31, 0:6])
    made = nl.zeros((P, F), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.zeros((P, F), dtype=nl.float32, buffer=nl.sbuf)
"""

SUCCESSFUL, FAILED, UNKNOWN = Verdict.SUCCESSFUL, Verdict.FAILED, Verdict.UNKNOWN
PREFIX = "nisa.tensor_copy(tile[:, 0:6], made[:, 0:6])\nnisa.memset(tile[31:32, :], 0.0)"
SCAN = "nisa.tensor_tensor_scan(made, part, full, 0.0, nl.multiply, nl.add)"
BEFORE = "nisa.affine_select(made, [[1, 8]], 0, part, 0.0, nl.less, -{})"

CASES = {
    "the columns before undefined ones": (f"{SCAN}\n{PREFIX}", SUCCESSFUL),
    "one column more": (f"{SCAN}\n{PREFIX.replace(':6', ':7')}", FAILED),
    "running sums": (
        f"nisa.tensor_scalar_cumulative(made, part, nl.multiply, nl.add, 1.0)\n{PREFIX}",
        SUCCESSFUL,
    ),
    "the pattern leaves out undefined columns": (
        BEFORE.format(6) + "\nnisa.tensor_copy(tile[0:31], made[0:31])",
        SUCCESSFUL,
    ),
    "the pattern leaves out one too few": (BEFORE.format(7) + "\nnisa.tensor_copy(tile[0:31], made[0:31])", FAILED),
    "lanes that are not taken": (
        "nisa.nc_stream_shuffle(made, part, [0] * 32)\nnisa.tensor_copy(tile[:, 0:6], made[:, 0:6])",
        SUCCESSFUL,
    ),
    "a lane that is taken": (
        "nisa.nc_stream_shuffle(made, part, [0] * 31 + [31])\nnisa.tensor_copy(tile[:, 0:6], made[:, 0:6])",
        FAILED,
    ),
    "data choose": ("nisa.tensor_copy_predicated(tile, part, mask)", UNKNOWN),
    "data choose nothing else": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.tensor_copy_predicated(junk, junk, mask)\n"
        "nisa.tensor_copy(tile, junk)",
        FAILED,
    ),
    "data choose between what is undefined and what is not": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(tile, 0.0)\n"
        "nisa.tensor_copy_predicated(tile, junk, mask)",
        UNKNOWN,
    ),
    "data choose between what may be undefined and what is": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(tile, 0.0)\n"
        "nisa.tensor_copy_predicated(tile, junk, mask)\nnisa.tensor_copy_predicated(tile, junk, mask)",
        UNKNOWN,
    ),
    "data choose an undefined element or a constant": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.select_reduce(tile, mask, junk, 0.0)",
        UNKNOWN,
    ),
    "a mean needs no variance": (
        "sums = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(sums[:, 0:5], 1.0)\n"
        "nisa.bn_aggr(sums[:, 6:8], sums[:, 0:6])\nnisa.memset(tile, 0.0)\n"
        "nisa.tensor_copy(tile[:, 0:1], sums[:, 6:7])",
        SUCCESSFUL,
    ),
    "columns that are not normalised together": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(junk[:, 0:4], 1.0)\n"
        "both = nl.softmax(junk.reshape((P, 2, 4)), -1)\nnisa.memset(tile, 0.0)\n"
        "nisa.tensor_copy(tile[:, 0:4], both[:, 0, :])",
        SUCCESSFUL,
    ),
    "an index that is not defined": (
        "places = nl.ndarray((P, F), dtype=nl.uint32, buffer=nl.sbuf)\nnisa.memset(places[:, 0:4], 1)\n"
        "nisa.nc_n_gather(tile, full, places)",
        FAILED,
    ),
    "an index that is not defined, of what nothing uses": (
        "places = nl.ndarray((P, F), dtype=nl.uint32, buffer=nl.sbuf)\nnisa.memset(places[:, 0:4], 1)\n"
        "found = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.nc_n_gather(found, full, places)\n"
        "nisa.memset(tile, 0.0)\nnisa.tensor_copy(tile[:, 0:4], found[:, 0:4])",
        UNKNOWN,
    ),
    "what is chosen by is undefined": (
        "junk = nl.ndarray((P, F), dtype=nl.uint8, buffer=nl.sbuf)\nnisa.tensor_copy_predicated(tile, full, junk)",
        FAILED,
    ),
    "indices choose": ("nisa.memset(part[31:32, :], 0.0)\nnisa.nc_n_gather(tile, part, index)", UNKNOWN),
    "indices choose within a partition": ("nisa.nc_n_gather(tile, part, index)", FAILED),
    "indices choose among undefined elements": (
        "junk = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.nc_n_gather(tile, junk, index)",
        FAILED,
    ),
    "what data choose is not used": (
        "nisa.nc_n_gather(made, part, index)\nnisa.tensor_copy(tile, full)",
        SUCCESSFUL,
    ),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES.keys())
def test_undefined_elements_count_where_they_are_used(tmp_path: Path, body: str, expected: Verdict) -> None:
    def domain(v: Verification) -> None:
        shape = (32, 8)
        v.call(
            v.tensor("x", shape, float32),
            v.tensor("chosen", shape, uint8),
            v.tensor("places", shape, uint32, values=(0, 7)),
        )

    text = HEAD + indent(body, "    ") + "\n    nisa.dma_copy(out, tile)\n    return out\n"
    assert Subject.of(tmp_path, text, domain).verdict().verdict is expected
