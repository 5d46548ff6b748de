# expect: 1 UNKNOWN
# dims: 0..
# shapes: none
"""A file that kernel code has a loader execute would count as a library, which is not told that `n` is an integer."""
import os
from importlib.machinery import SourceFileLoader

FILE = os.path.join(os.path.dirname(__file__), "elsewhere", "_rows.py")
other = SourceFileLoader("_rows", FILE).load_module()


def kernel(n):
    assert other.rows(n) == 0
