"""The kernel's name of the result of a statement, read from its text."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache

from nkiverify.foundation.source import Site


def assigned_name(site: Site | None) -> str:
    """The name that the statement at `site` gives the tensor that it allocates; empty where it gives it no name."""
    if site is None:
        return ""
    # The file may have changed since another run of this process.
    linecache.checkcache(site.file)
    for node in ast.walk(_parsed("".join(linecache.getlines(site.file)))):
        if isinstance(node, ast.Assign) and node.lineno <= site.line <= (node.end_lineno or 0):
            target = node.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


@lru_cache(maxsize=16)
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])
