"""Write the table of functions into docs/numerics.md: `make pages`. With `--check`, say whether it is up to date."""

from __future__ import annotations

import math
import sys

from lab.audit import with_section
from nkiverify.analysis.ranges.interval_functions import FUNCTIONS, Function
from nkiverify.foundation import resources


def table() -> str:
    """How each function goes, as a Markdown table."""
    rows = ["| function | goes | values | defined | error |", "| --- | --- | --- | --- | --- |"]
    for name, function in sorted(FUNCTIONS.items()):
        low, high = (_number(end) for end in function.within)
        error = "2^-21" if function.single else f"{function.slack:g}"
        rows.append(f"| `{name}` | {function.course.value} | {low} to {high} | {_domain(function)} | {error} |")
    return "\n".join(rows)


def _number(value: float) -> str:
    return f"{value:.7g}" if math.isfinite(value) else "any"


def _domain(function: Function) -> str:
    if function.domain == -math.inf:
        return "but at 0" if function.course.name == "POLE" else "everywhere"
    return f"above {function.domain:g}" if function.open else f"from {function.domain:g} on"


def main() -> int:
    """Bring the page up to date, or with `--check` exit 1 where it is not."""
    page = resources.root() / "docs" / "numerics.md"
    text = page.read_text(encoding="utf-8")
    wanted = with_section(text, "functions", table())
    if "--check" in sys.argv:
        return int(text != wanted)
    page.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
