"""docs/upstream-bugs.md tells of the runs of `--tag upstream-bug`; tests/corpus/test_manifest.py sees what they say."""

from __future__ import annotations

import re

from nkiverify.foundation.resources import root
from nkiverify.project.manifest_targets import load_targets

ROW = re.compile(
    r"^\| `(?P<target>\w+)` \| [^|]+ \| (?P<phase>\d) \| (?P<verdict>\w+) \| (?P<contracts>[^|]*)\|$", re.MULTILINE
)


def bugs_told() -> dict[tuple[str, int], tuple[str, set[str]]]:
    """Verdict and contracts of each target and phase, as the page has them."""
    page = (root() / "docs" / "upstream-bugs.md").read_text(encoding="utf-8")
    return {
        (row["target"], int(row["phase"])): (row["verdict"], set(re.findall(r"`([^`]+)`", row["contracts"])))
        for row in ROW.finditer(page)
    }


def test_the_page_has_every_run_and_no_other() -> None:
    tagged = [target for target in load_targets() if "upstream-bug" in target.tags]
    assert {(target.name, phase) for target in tagged for phase in target.expect} == bugs_told().keys()
