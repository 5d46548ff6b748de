"""Write the table of targets into README.md: `make readme`. With `--check`, only say whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN = "<!-- targets: written by `make readme` -->\n"
END = "<!-- end of targets -->"


def with_targets(text: str, table: str) -> str:
    """`text` with `table` between the two markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"README.md lacks the line {BEGIN.strip()} or {END}")
    return f"{before}{begin}\n{table}\n\n{end}{after}"


def main() -> int:
    """Bring README.md up to date, or with `--check` exit 1 where it is not."""
    sys.path.insert(0, str(ROOT))
    from nkiverify.project.manifest import load_targets
    from nkiverify.report import target_list

    text = README.read_text(encoding="utf-8")
    wanted = with_targets(text, target_list.markdown(load_targets(ROOT)))
    if "--check" in sys.argv:
        return int(text != wanted)
    README.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
