"""Write docs/commands.md from the parsers of the commands: `make pages`. With `--check`, only compare."""

from __future__ import annotations

import argparse
import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "commands.md"

HEAD = """\
# Commands

<!-- written by `make pages` from the parsers: what `--help` shows is the same -->

`nkiverify COMMAND …`, or `python verify.py COMMAND …` in a checkout. Without the name of a command it is `run`. Every
command takes `--help` and `--version`. A command line that cannot be used ends with status 2 and one line saying why.
"""


def page() -> str:
    """The text of the page."""
    from nkiverify.cli import main as cli

    parts = [HEAD]
    for name in sorted(cli.COMMANDS):
        parser = cli.parser_of(name)
        parts.append(f"## {name}\n")
        parts += map(_paragraph, (parser.description or "").strip("\n").split("\n\n"))
        parts.append(_table(parser))
        if parser.epilog:
            parts.append(f"```text\n{inspect.cleandoc(parser.epilog)}\n```\n")
    return "\n".join(parts)


def _paragraph(text: str) -> str:
    """A paragraph of a help; lines that are indented are typed, or read, as they are."""
    if all(line.startswith("  ") for line in text.splitlines()):
        return f"```text\n{inspect.cleandoc(text)}\n```\n"
    return " ".join(text.split()) + "\n"


def _table(parser: argparse.ArgumentParser) -> str:
    rows = ["| argument | means |", "| --- | --- |"]
    for action in parser._actions:
        if action.dest in ("help", "version") or action.help == argparse.SUPPRESS:
            continue
        words = (action.help or "") % {**vars(action), "prog": parser.prog}
        rows.append(f"| `{_named(action)}` | {' '.join(words.split()).replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def _named(action: argparse.Action) -> str:
    """An argument as one types it: `-j, --jobs N`, `NAME …`."""
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    value = action.metavar if isinstance(action.metavar, str) else choices or action.dest.upper()
    if not action.option_strings:
        return f"[{value} …]" if action.nargs == "*" else f"[{value}]" if action.nargs == "?" else value
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else "")


def main() -> int:
    """Write the page, or with `--check` exit 1 where it is not up to date."""
    text = page()
    if "--check" in sys.argv:
        return int(not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
