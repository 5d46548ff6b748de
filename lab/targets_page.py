"""Write the table of targets into docs/targets.md: `make pages`. With `--check`, only say whether it is up to date."""

from __future__ import annotations

import sys

from lab.audit import with_section
from nkiverify.foundation import resources
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report import target_list


def main() -> int:
    """Bring the page up to date, or with `--check` exit 1 where it is not."""
    page = resources.root() / "docs" / "targets.md"
    text = page.read_text(encoding="utf-8")
    wanted = with_section(text, "targets", target_list.markdown(load_targets(resources.root())))
    if "--check" in sys.argv:
        return int(text != wanted)
    page.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
