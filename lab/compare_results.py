"""Differences between two sets of results: of two revisions of the tool on the same targets, or of two of the kernels.

    python -m lab.compare_results BEFORE AFTER

Both are files of results (`verify.py --json FILE`, `verify.py check … --json FILE`), or folders of such files, of which
those of one name are compared. Verdict, qualifier, refuted claims with their witnesses, warnings and the number of
claims count; times, and what decided a claim, do not. A line for each difference; exit status 1 where there is any.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

#: A run of one target in one phase by one engine.
Key = tuple[str, ...]
#: What is compared of it, by name.
Facts = Mapping[str, object]


def differences(before: Path, after: Path) -> Iterator[str]:
    """The differences, a line each."""
    one, two = _runs(before), _runs(after)
    for key in sorted(one.keys() | two.keys()):
        name = " ".join(key)
        if key not in one or key not in two:
            yield f"{name}: only {'before' if key in one else 'after'}"
            continue
        for fact in one[key]:
            if one[key][fact] != two[key][fact]:
                yield f"{name}: {fact}: {one[key][fact]} -> {two[key][fact]}"


def _runs(path: Path) -> dict[Key, Facts]:
    found: dict[Key, Facts] = {}
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    for file in files:
        for run in json.loads(file.read_text(encoding="utf-8"))["runs"]:
            key = (run["target"], f"phase {run['phase']}", run["engine"])
            found[(file.stem, *key) if path.is_dir() else key] = _facts(run)
    return found


def _facts(run: dict[str, Any]) -> Facts:
    return {
        "verdict": run["verdict"],
        "qualifier": run["qualifier"],
        "reason": run["reason"],
        "claims": run["claims"],
        "violations": [_told(one, "contract", "witness", "message", "replayed") for one in run["violations"]],
        "warnings": [_told(one, "rule", "witness", "message", "element", "holds") for one in run["warnings"]],
    }


def _told(one: dict[str, Any], *fields: str) -> tuple[object, ...]:
    return (f"{Path(one['file']).name}:{one['line']}", *(one[field] for field in fields))


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(prog="lab.compare_results", description="What differs between two results.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    arguments = parser.parse_args()
    found = list(differences(arguments.before, arguments.after))
    runs = len(_runs(arguments.after))
    print("\n".join([*found, f"{runs} runs compared, {len(found)} differences"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
