"""Kernel files as users have them, written into a folder of the test's own."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nkiverify.cli.main import main

#: Copies `a` in tiles of 128 columns; without the asserts a short last tile is read past the end.
COPY = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def copy(a, tile=128):
        P, F = a.shape
        assert P <= 128
        assert F % tile == 0, f"{F} columns"
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(F // tile):
            part = nl.ndarray((P, tile), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=part, src=a[:, i * tile : (i + 1) * tile])
            nisa.dma_copy(dst=out[:, i * tile : (i + 1) * tile], src=part)
        return out
"""


def write(folder: Path, **files: str) -> None:
    """Write modules into `folder`; `pkg__sub` is `pkg/sub.py`."""
    for name, content in files.items():
        path = folder.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content).lstrip("\n"), encoding="utf-8")


class Checker:
    """Runs `nkiverify check` in a folder, and remembers what it printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *words: str) -> int:
        """The exit status."""
        status = main(["check", *words])
        self.out, self.err = self._capsys.readouterr()
        return status
