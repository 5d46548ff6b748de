"""`--allow`, and the setting `allow`: what kernels may ask for that is refused otherwise."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.allowed import Allowed
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here
from nkiverify.project.settings import NETWORK, READ, Settings


def add_allow(parser: argparse.ArgumentParser) -> None:
    """Add `--allow`, which `allowed_by` reads."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="let kernels read a file, or what is below a folder (read:PATH), or use the network (network); what they "
        "are given is assumed to stay as it is (docs/security.md)",
    )


def allowed_by(typed: Sequence[str], settings: Settings | None = None) -> Allowed:
    """The permissions that are `typed`, and those that the settings allow, by default those here; from here on it holds
    in this process.

    Raises `UsageError` for what cannot be allowed, and for a path where nothing is.
    """
    if settings is None:
        project = here()
        settings = project.settings if project is not None else Settings()
    asked = [(text, Path.cwd(), "--allow") for text in typed]
    if settings.file is not None:
        asked += [(text, settings.file.parent, f"{settings.file}: allow") for text in settings.allow or ()]
    reads = [_readable(text, base, source) for text, base, source in asked if text != NETWORK]
    from nkiverify.frontend.guard import allow

    found = Allowed(tuple(dict.fromkeys(reads)), any(text == NETWORK for text, _, _ in asked))
    allow(found)
    return found


def _readable(text: str, base: Path, source: str) -> str:
    path = text.removeprefix(READ)
    if path == text or not path:
        raise UsageError(f"{source}: {text!r} is neither {READ}PATH nor {NETWORK}")
    if not (base / path).exists():
        raise UsageError(f"{source}: there is no {path}")
    return str((base / path).resolve())
