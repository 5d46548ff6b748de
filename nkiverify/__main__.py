"""`python -m nkiverify`: the same program as the `nkiverify` command."""

import sys
from pathlib import Path

# Python looks into the working directory first: a module of the user's there would stand for one that we import.
if sys.path[:1] == [str(Path.cwd())]:
    del sys.path[0]

from nkiverify.cli.main import console

if __name__ == "__main__":
    sys.exit(console())
