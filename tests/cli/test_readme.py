"""docs/targets.md lists the targets there are; README.md fits two screens."""

from __future__ import annotations

import subprocess
import sys

from nkiverify.foundation.resources import root


def test_the_table_of_targets_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.targets_page", "--check"], cwd=root(), check=False)
    assert done.returncode == 0, "run `make pages`"


def test_the_first_page_is_short() -> None:
    assert (root() / "README.md").stat().st_size < 8192
