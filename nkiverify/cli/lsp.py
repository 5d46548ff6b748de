"""`nkiverify lsp`: a language server, for editors."""

from __future__ import annotations

import argparse
import importlib.util

from nkiverify.cli.command_arguments import positive_seconds
from nkiverify.foundation.errors import UsageError
from nkiverify.verify.options import HARDWARE

DESCRIPTION = """\
Serve an editor on stdin and stdout, by the Language Server Protocol. A file
with kernels is checked when it is opened, and when it is saved, as
`nkiverify check FILE` does it, in a process of its own; an edit ends the check.
docs/editors.md says how VS Code, Neovim and Emacs start it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--target", choices=HARDWARE, help="the hardware generation")
    add("--timeout", type=positive_seconds, metavar="S", help="seconds for each kernel")
    add("--no-cache", action="store_true", help="check files of which nothing changed again, and remember nothing")
    add("--stdio", action="store_true", help="what some editors ask for; there is no other way")


def execute(arguments: argparse.Namespace) -> int:
    """Serve until the editor ends the session; the exit status."""
    if importlib.util.find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: pip install 'nkiverify[editor]'")
    from nkiverify.products.editor.server import serve

    words = [f"--{name}={value}" for name in ("target", "timeout") if (value := getattr(arguments, name)) is not None]
    serve(words, remembers=not arguments.no_cache)
    return 0
