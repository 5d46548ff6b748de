"""README.md lists the targets there are."""

from __future__ import annotations

import subprocess
import sys

from nkiverify.foundation.resources import root


def test_the_table_of_targets_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "tools/readme.py", "--check"], cwd=root(), check=False)
    assert done.returncode == 0, "run `make readme`"
