"""The purpose of this process."""

from __future__ import annotations

#: True in a process that was started to run kernels: none of the code of their files is anybody else's there. In the
#: process of a test suite, a file of kernels may hold tests as well, which open files as they like.
for_kernels = False


def is_for_kernels() -> None:
    """Say that this process, to its end, was started to run kernels."""
    global for_kernels
    for_kernels = True
