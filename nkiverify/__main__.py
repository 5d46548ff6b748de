"""`python -m nkiverify`: the same program as the `nkiverify` command."""

import sys

from nkiverify.cli.main import console

if __name__ == "__main__":
    sys.exit(console())
