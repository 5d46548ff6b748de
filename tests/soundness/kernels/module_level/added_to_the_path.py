# expect: 1 FAILED kernel.assert:13
# dims: 0..
"""A module in a folder that the kernel adds to the path is code of the kernel, of no library: it is told that `n` is an
integer."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "elsewhere"))
import _rows


def kernel(n):
    assert _rows.rows(n) == 0
