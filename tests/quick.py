"""The command line without ESBMC, which takes seconds: for tests that are not about it."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.cli import main as cli


def main(arguments: Sequence[str]) -> int:
    """`nkiverify` with these arguments; a run has the embedded engine alone, unless they name one."""
    runs = not arguments or arguments[0] not in cli.COMMANDS or arguments[0] == "run"
    return cli.main([*arguments, "--engine", "embedded"] if runs and "--engine" not in arguments else list(arguments))
