"""The table of `verify.py bench`."""

from __future__ import annotations

from lab import bench_table
from lab.bench import Measurement

MEASUREMENTS = [
    Measurement("matmul_tiled_all", 77, {"constant": 50, "simplifier": 27}, 1, 85.2, 33.4, 71_000),
    Measurement("matmul_swapped", 79, {"smt": 1, "constant": 78}, 2, 1204.0, 6.94, 56_000),
]


def test_every_rung_has_a_column_and_the_busiest_comes_first() -> None:
    assert bench_table.table(MEASUREMENTS) == (
        "target            claims  constant  simplifier  smt  paths  cold ms  warm ms  MiB\n"
        "----------------  ------  --------  ----------  ---  -----  -------  -------  ---\n"
        "matmul_tiled_all      77        50          27    0      1       85       33   69\n"
        "matmul_swapped        79        78           0    1      2     1204      6.9   55"
    )


def test_the_sums_are_said() -> None:
    assert bench_table.summary(MEASUREMENTS) == "2 targets, 156 claims; one after the other 1.3 s cold, 0.0 s warm"
