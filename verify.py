#!/usr/bin/env python3
"""Verify the kernels of this repository: `python verify.py [NAME or glob …]`. The same program as `nkiverify`."""

import sys

from nkiverify.__main__ import console

if __name__ == "__main__":
    sys.exit(console())
