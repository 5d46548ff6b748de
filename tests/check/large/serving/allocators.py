"""Allocators of SBUF written by users: a stack with scopes, and a ring of tiles."""

from __future__ import annotations

import nki.language as nl

from .config import PMAX, Placement

#: Bytes of a partition that the allocators hand out.
BUDGET = 192 * 1024 - 16 * 1024
_ALIGNMENT = 32

_ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int32": 4, "uint32": 4, "uint8": 1, "int8": 1}


def item_bytes(dtype):
    """Bytes of an element."""
    for name, size in _ITEM_BYTES.items():
        if dtype == getattr(nl, name):
            return size
    raise ValueError(f"no size is known of {dtype}")


def free_bytes(shape, dtype):
    """Bytes that a tile takes in each partition."""
    total = item_bytes(dtype)
    for extent in shape[1:]:
        total *= extent
    return total


def align(offset, to=_ALIGNMENT):
    return (offset + to - 1) // to * to


class Allocator(nl.NKIObject):
    """Hands out tiles; the compiler places them."""

    def __init__(self, budget=BUDGET):
        self.budget = budget
        self.count = 0
        self.log = []

    def tile(self, shape, dtype, name=""):
        self.count += 1
        return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, name=name)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def open(self):
        pass

    def close(self):
        pass


class StackAllocator(Allocator):
    """Places tiles one after another, and frees those of a scope together."""

    def __init__(self, budget=BUDGET, base=0):
        super().__init__(budget)
        self.top = base
        self.marks = []
        self.peak = base

    @property
    def left(self):
        return self.budget - self.top

    def open(self):
        self.marks.append(self.top)

    def close(self):
        assert self.marks, "a scope is closed that was not opened"
        self.top = self.marks.pop()

    def tile(self, shape, dtype, name=""):
        size = align(free_bytes(shape, dtype))
        assert size <= self.left, f"{name or 'a tile'} of {size} bytes does not fit into {self.left}"
        address = self.top
        self.top = self.top + size
        self.peak = max(self.peak, self.top)
        self.count += 1
        self.log.append((name, address, size))
        return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, name=name, address=(0, address))


class RingAllocator(Allocator):
    """`slots` tiles of one shape that are used in turn."""

    def __init__(self, shape, dtype, slots, stack):
        super().__init__(stack.budget)
        self.tiles = [stack.tile(shape, dtype, name=f"ring_{slot}") for slot in range(slots)]
        self.next = 0

    def take(self):
        tile = self.tiles[self.next % len(self.tiles)]
        self.next += 1
        return tile


def make_allocator(placement):
    """The allocator of a placement."""
    makers = {Placement.AUTOMATIC: Allocator, Placement.STACK: StackAllocator, Placement.MODULO: StackAllocator}
    return makers[placement]()


class Psum:
    """Names tiles of PSUM, one bank each."""

    banks = 8

    def __init__(self, dtype=nl.float32):
        self.dtype = dtype
        self.taken = 0

    def tile(self, rows, columns):
        assert rows <= PMAX and columns <= 512, f"({rows}, {columns}) is no bank of PSUM"
        self.taken += 1
        return nl.ndarray((rows, columns), dtype=self.dtype, buffer=nl.psum)
