"""`python -m nkiverify`: the same program as the `nkiverify` command."""

import sys

from nkiverify.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
