"""Rewrites of sums, products and quotients."""

import math

import nki.isa as nisa
import nki.language as nl


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _scalar(tile, *operations):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def reassociate_a(x, y, z):
    return _out(nl.add(nl.add(nl.load(x), nl.load(y)), nl.load(z)))


def reassociate_b(x, y, z):
    """EQUAL TESTED: addition is associative over the reals; rounded sums differ by a rounding."""
    return _out(nl.add(nl.load(x), nl.add(nl.load(y), nl.load(z))))


def commute_a(x, y):
    return _out(nl.subtract(nl.load(x), nl.load(y)))


def commute_b(x, y):
    """DIFFERENT DIFFERENT: subtraction does not commute."""
    return _out(nl.subtract(nl.load(y), nl.load(x)))


def distribute_a(x, y, z):
    return _out(nl.multiply(nl.load(x), nl.add(nl.load(y), nl.load(z))))


def distribute_b(x, y, z):
    """EQUAL TESTED: multiplication distributes over addition."""
    factor = nl.load(x)
    return _out(nl.add(nl.multiply(factor, nl.load(y)), nl.multiply(factor, nl.load(z))))


def distribute_wrongly_a(x, y, z):
    return _out(nl.multiply(nl.load(x), nl.add(nl.load(y), nl.load(z))))


def distribute_wrongly_b(x, y, z):
    """DIFFERENT DIFFERENT: the second summand lost its factor."""
    return _out(nl.add(nl.multiply(nl.load(x), nl.load(y)), nl.load(z)))


def fuse_scalars_a(x):
    return _out(_scalar(_scalar(nl.load(x), nl.multiply, 3.0), nl.add, 0.5))


def fuse_scalars_b(x):
    """EQUAL TESTED: one instruction applies both operators, in the same order."""
    return _out(_scalar(nl.load(x), nl.multiply, 3.0, False, nl.add, 0.5))


def fuse_scalars_in_the_wrong_order_a(x):
    return _out(_scalar(_scalar(nl.load(x), nl.multiply, 3.0), nl.add, 0.5))


def fuse_scalars_in_the_wrong_order_b(x):
    """DIFFERENT DIFFERENT: (x + 1/2) * 3 is not x * 3 + 1/2."""
    return _out(_scalar(nl.load(x), nl.add, 0.5, False, nl.multiply, 3.0))


def reverse_operands_a(x, c):
    return _out(_scalar(nl.load(x), nl.subtract, nl.load(c)))


def reverse_operands_b(x, c):
    """EQUAL TESTED: c - x, negated."""
    return _out(_scalar(_scalar(nl.load(x), nl.subtract, nl.load(c), True), nl.multiply, -1.0))


def forget_the_sign_a(x, c):
    return _out(_scalar(nl.load(x), nl.subtract, nl.load(c)))


def forget_the_sign_b(x, c):
    """DIFFERENT DIFFERENT: c - x is not x - c."""
    return _out(_scalar(nl.load(x), nl.subtract, nl.load(c), True))


def divide_late_a(x, y, c):
    return _out(nl.add(_scaled(x, c), _scaled(y, c)))


def divide_late_b(x, y, c):
    """EQUAL TESTED: a common divisor can be taken out, and quotients are exact in a field."""
    total = nl.add(nl.load(x), nl.load(y))
    return _out(_scalar(total, nl.multiply, nl.reciprocal(nl.load(c))))


def _scaled(x, c):
    return _scalar(nl.load(x), nl.multiply, nl.reciprocal(nl.load(c)))


def square_by_product_a(x):
    return _out(nl.square(nl.load(x)))


def square_by_product_b(x):
    """EQUAL TESTED: a square is a product."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, tile))


def complete_the_square_a(x, y):
    return _out(nl.square(nl.add(nl.load(x), nl.load(y))))


def complete_the_square_b(x, y):
    """EQUAL TESTED: (x + y)^2 = x^2 + 2xy + y^2."""
    first, second = nl.load(x), nl.load(y)
    mixed = _scalar(nl.multiply(first, second), nl.multiply, 2.0)
    return _out(nl.add(nl.add(nl.square(first), mixed), nl.square(second)))


def change_a_constant_a(x):
    return _out(_scalar(nl.load(x), nl.multiply, 0.1))


def change_a_constant_b(x):
    """DIFFERENT TESTED: 0.1 + 1e-9 is another number, though no float32 of this size shows it."""
    return _out(_scalar(nl.load(x), nl.multiply, 0.1 + 1e-9))


def constant_by_another_way_a(x):
    return _out(_scalar(nl.load(x), nl.multiply, 1 / math.sqrt(48)))


def constant_by_another_way_b(x):
    """EQUAL TESTED: the last bits that Python computes differ."""
    return _out(_scalar(nl.load(x), nl.multiply, 48**-0.5))


def next_constant_a(x):
    return _out(_scalar(nl.load(x), nl.multiply, 0.7978845608))


def next_constant_b(x):
    """DIFFERENT TESTED: the next float32."""
    return _out(_scalar(nl.load(x), nl.multiply, 0.7978846204))
