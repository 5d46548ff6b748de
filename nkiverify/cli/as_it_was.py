"""The process that verifies the targets of a repository as they were at a commit: see `nkiverify.cli.since`."""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from nkiverify.cli import run
from nkiverify.cli.outcome import session_here
from nkiverify.foundation.errors import UsageError
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.repository import with_targets
from nkiverify.results import codec
from nkiverify.run.supervisor import supervised


def console() -> int:
    """Run, supervised as any other, what stdin asks for: the targets of it that there are."""
    arguments = argparse.Namespace(**pickle.load(sys.stdin.buffer))
    return supervised(lambda: _verified(arguments))


def _verified(arguments: argparse.Namespace) -> int:
    try:
        known = {target.name for target in load_targets(with_targets(arguments.bundled).root)}
        arguments.names = [name for name in arguments.names if name in known]
        if not arguments.names:
            # All of them are new.
            Path(arguments.json).write_text(_nothing(), encoding="utf-8")
            return 0
        return run.execute(arguments)
    except UsageError as error:
        print(f"nkiverify: {error}", file=sys.stderr)
        return 2


def _nothing() -> str:
    """The results of a run of no target."""
    return codec.text(session_here((), Path.cwd(), datetime.now(timezone.utc), time.perf_counter()))
