"""Arguments that are objects: made of names of the modules they come from, and prepared by methods called on them."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

SETTINGS = """
    from dataclasses import dataclass
    from enum import Enum


    class Half(Enum):
        LEFT = 0
        RIGHT = 1


    @dataclass
    class Settings:
        half: Half
        columns: int
"""

STACK = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    from settings import Settings


    class Stack:
        def __init__(self, size):
            self.size, self.taken, self.scopes = size, 0, 0

        def open_scope(self, name="", kind=None):
            self.scopes += 1

        def reserve(self, size):
            self.taken += size

        def allocate(self, shape, dtype):
            assert self.scopes, "no scope is open"
            size = shape[1] * 4
            assert self.taken + size <= self.size
            tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, address=(0, self.taken))
            self.taken += size
            return tile


    @nki.jit
    def copy(a, stack, settings=None):
        tile = stack.allocate(a.shape, a.dtype)
        nisa.dma_copy(dst=tile, src=a)
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        if settings is not None:
            first = settings.half.value * settings.columns
            return a[:, first : first + settings.columns]
        return out
"""


def _check(check: Checker, *arguments: str) -> int:
    write(check.folder, k=STACK, settings=SETTINGS)
    return check("k.py::copy", *(word for text in ("a=f32[128,64]", *arguments) for word in ("--arg", text)))


@pytest.mark.parametrize(
    ("stack", "status"),
    [
        ("Stack(256); stack.open_scope()", 0),
        ("Stack(256)", 1),
        ("Stack(512) ; stack.open_scope('a; b', kind=None); stack.reserve(size=256)", 0),
        ("Stack(512); stack.open_scope(); stack.reserve(260)", 1),
    ],
)
def test_methods_prepare_an_object_before_the_kernel_is_called(stack: str, status: int, check: Checker) -> None:
    assert _check(check, f"stack={stack}") == status, check.out


@pytest.mark.parametrize(("half", "status"), [("LEFT", 0), ("RIGHT", 1)])
def test_a_call_may_name_what_is_in_the_module_of_what_it_calls(half: str, status: int, check: Checker) -> None:
    settings = f"settings=Settings(Half.{half}, columns=33)"
    assert _check(check, "stack=Stack(256); stack.open_scope()", settings) == status, check.out


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ("Stack(256); other.open_scope()", "a method of the object is called: stack.method(…)"),
        ("Stack(256); stack.taken", "a method of the object is called: stack.method(…)"),
        ("Stack(256); stack.open()", "stack has no method open"),
        ("Stack(256);", "there is nothing here"),
        ("Stack(256); stack.reserve(Third.LEFT)", "the kernel's module has no Third"),
    ],
)
def test_what_is_no_method_of_the_object_is_a_mistake(stack: str, message: str, check: Checker) -> None:
    assert _check(check, f"stack={stack}") == 2
    assert message in check.out + check.err
