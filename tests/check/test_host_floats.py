"""Roots, powers and logarithms of dimensions, and functions of `math` and `numpy` that take them."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

HEAD = """
import math
import numpy
import numpy as np
from math import *


def kernel(n, given=None):
    {body}
"""


def status(check: Checker, body: str, *more: str) -> int:
    """The exit status of checking a kernel with this body, for n from 1 to 9000: too many to be run in full."""
    write(check.folder, k=HEAD.format(body=body))
    return check("k.py::kernel", "--arg", "n=n:1..9000", *more)


@pytest.mark.parametrize(
    "body",
    [
        "return given or 1.0 / (n ** 0.5)",
        "return n ** -0.5 * 2 + 1",
        "return 1.0 / sqrt(n) / 3",
        "return 1 / np.sqrt(n + 1)",
        "return math.log2(n) - math.log(n, 3) + math.pow(n, 0.25)",
        "return math.sqrt(n - 1)",
        "s = 1 / math.sqrt(n)\n    assert s or False",
        "return sum(10000.0 ** (-2.0 * i / n) for i in [0, 1, 2])",
        "for i in range(n):\n        given = 1 / 2 ** (8 * i / (n + 1))\n    return 0",
        "return 2.0 ** (-n / 90) / 3.0 ** (n / 9000)",
        "return math.exp(-n / 9000) + np.exp2(n / 700)",
        "assert int(np.ceil(n / 4)) * 4 >= n",
        "assert numpy.floor(n / 4) <= 25",
        "assert np.minimum(n, 3) <= 3 <= np.maximum(3, n)",
        "assert math.pi > 3 and np.float32(2) > 1 and math.ceil(2.5) == 3",
    ],
)
def test_what_a_kernel_computes_for_an_operand_is_no_obstacle(check: Checker, body: str) -> None:
    assert status(check, body) == 0, check.out


@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("return int(n ** 0.5)", "int() of a rounded floating-point value"),
        ("assert n ** 0.5 >= 1", "comparison of a rounded floating-point value"),
        ("return 1 if math.log2(n) else 2", "comparison of a rounded floating-point value"),
        ("return float(str(math.sqrt(n)))", "symbolic"),
        ("return (-2.0) ** (n / 2)", "`**` with a symbolic exponent of a number that is not positive"),
        ("return np.float32(math.sqrt(n))", "the value of a square root of symbolic numbers in C code"),
    ],
)
def test_its_value_is_not_known(check: Checker, body: str, construct: str) -> None:
    assert status(check, body) == 3, check.out
    assert construct in " ".join(check.out.split())


@pytest.mark.parametrize(
    "body",
    [
        # Negative for n < 50: complex, or a ValueError.
        "return (n - 50) ** 0.5",
        "return math.sqrt(n - 50)",
        # 0 for n = 1.
        "return (n - 1) ** -0.5",
        "return 1 / math.sqrt(n - 1)",
        "return 1 / math.log(n)",
        "return 1 / (math.sqrt(n) * (n - 1))",
        "return math.log(n - 1)",
        # Overflow.
        "return (n * 1.5) ** 400.5",
        "x = n ** 9.5\n    y = x * x * x * x\n    return 1 / (y * y * y)",
    ],
)
def test_what_may_raise_is_no_success(check: Checker, body: str) -> None:
    assert status(check, body, "--phase", "1") in (1, 3), check.out


@pytest.mark.parametrize("divisor", ["n ** 0.5 * 0", "(n - 5) * n ** 0.5"])
def test_a_product_with_zero_is_not_divided_by(check: Checker, divisor: str) -> None:
    # Where no symbolic run follows it, a shape that is run shows what Python raises.
    assert status(check, f"return 1 / ({divisor})") in (1, 3)


def test_two_numbers_of_unknown_value_are_not_taken_for_one(check: Checker) -> None:
    # What the loop carries is not what it began with.
    body = "s = n / 1\n    for i in range(n):\n        assert s <= n\n        s = (n + 1) ** 0.5 * 9"
    assert status(check, body) == 1
    assert "n = 2" in check.out and "not replayed" not in check.out


@pytest.mark.parametrize(("argument", "status"), [('name="clip"', 0), ("names=1", 3)])
def test_numpys_functions_are_still_operators(check: Checker, argument: str, status: int) -> None:
    kernel = """
        import numpy as np
        import neuronxcc.nki.isa as nisa
        import neuronxcc.nki.language as nl
        from neuronxcc import nki


        @nki.jit
        def largest(a):
            P, F = a.shape
            assert P <= 128 and F <= 4096
            out = nl.ndarray((P, 1), dtype=a.dtype, buffer=nl.shared_hbm)
            tile = nisa.tensor_scalar(data=nl.load(a), op0=np.minimum, operand0=1 / np.sqrt(F), name="clip")
            nl.store(out, nisa.tensor_reduce(op=np.maximum, data=tile, axis=1, name="largest"))
            return out
    """
    write(check.folder, k=kernel.replace('name="clip"', argument))
    assert check("k.py::largest", "--arg", "a=f32[P,F]") == status, check.out
    assert ("the undocumented argument names of tensor_scalar" in check.out) == (status == 3)


@pytest.mark.parametrize(("directives", "status"), [("nki.compiler.no_reorder()", 0), ("'fast'", 3)])
def test_a_loop_may_keep_the_order_of_its_instructions(check: Checker, directives: str, status: int) -> None:
    kernel = f"""
        from neuronxcc import nki
        import neuronxcc.nki.language as nl


        @nki.jit
        def copy(a):
            P, F = a.shape
            assert P <= 128
            out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
            for i in nl.sequential_range(F, directives={directives}):
                nl.store(out[:, i:i + 1], nl.load(a[:, i:i + 1]))
            return out
    """
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=f32[P,F]") == status, check.out
