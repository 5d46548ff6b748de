"""The command line without ESBMC, which takes seconds, and without the page: for tests that are not about them."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.cli import main as cli


def main(arguments: Sequence[str]) -> int:
    """`nkiverify` with these arguments; a run has the embedded engine alone, unless they name one, and no page."""
    runs = not arguments or arguments[0] not in cli.COMMANDS or arguments[0] == "run"
    engine = [] if "--engine" in arguments else ["--engine", "embedded"]
    return cli.main([*arguments, *engine, "--no-page"] if runs else list(arguments))
