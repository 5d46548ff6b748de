"""A project of two kernels with a manifest, in a folder of its own, which tests change between runs."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from nkiverify.foundation import resources

KERNEL = '''\
"""Rows in, rows out."""
import nki
import nki.isa as nisa
import nki.language as nl

from sizes import WIDTH


@nki.jit
def load(a, rows):
    tile = nl.ndarray((rows, WIDTH), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    out = nl.ndarray((rows, WIDTH), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
'''

HARNESS = '''\
from domains import LARGEST
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


@target(kernel="kernels/rows.py::load", family="rows", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL, 2: SUCCESSFUL})
def good(v):
    """As many rows as there are."""
    n = v.dim("n", high=LARGEST)
    v.call(v.tensor("a", (n, 512), float32), n)


@target(kernel="kernels/rows.py::load", family="rows", kind=Kind.CONTROL, expect={1: FAILED})
def control(v):
    """One row too many."""
    n = v.dim("n", high=LARGEST)
    v.call(v.tensor("a", (n, 512), float32), n + 1)
'''


class Project:
    """The folder. `changed` is to be called after a file was written: what changed while a run began is not kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "reports" / "cache.db"
        for name in ("kernels", "harness"):
            (folder / name).mkdir()
        (folder / "stubs").symlink_to(resources.root() / "stubs")
        self.write("kernels/rows.py", KERNEL)
        self.write("kernels/sizes.py", "WIDTH = 512\n")
        self.write("harness/rows.py", HARNESS)
        self.write("harness/domains.py", "LARGEST = 64\n")

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        (self.folder / name).write_text(text, encoding="utf-8")
        time.sleep(0.01)

    def entries(self) -> list[tuple[str, str, str, str]]:
        """The rows of the cache."""
        connection = sqlite3.connect(self.cache)
        rows = connection.execute("SELECT * FROM verdict ORDER BY slot").fetchall()
        connection.close()
        return rows
