"""Where the kernel places an operand of `indirect()` and its index: they start on one partition; and modes given by a
symbolic number, which are what they are for each number."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write
from tests.representatives import representatives

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x):
        out = nl.ndarray((16, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        a = nl.ndarray((16, 128), dtype=nl.float32, buffer=nl.sbuf{data})
        nisa.dma_copy(dst=a, src=x)
        i = nl.ndarray((16, 8), dtype=nl.uint16, buffer=nl.sbuf{index})
        nisa.memset(dst=i, value=0)
        d = nl.ndarray((16, 128), dtype=nl.float32, buffer=nl.sbuf, address=(0, 4096))
        nisa.memset(dst=d, value=0.0)
        {body}
        nisa.dma_copy(dst=out, src=d)
        return out
"""
BODIES = {
    "copy": ("nisa.tensor_copy(dst=d, src=a.indirect(i), engine=nisa.engine.vector)", "ti.src_same_partition"),
    "activation": ("nisa.activation(d, nl.exp, a.indirect(i))", "ti.src_same_partition"),
    "scalar": ("nisa.tensor_scalar(d, a.indirect(i), nl.add, 1.0)", "ti.src_same_partition"),
    "scatter": ("nisa.tensor_copy(dst=d.indirect(i), src=a, engine=nisa.engine.vector)", "ti.dst_same_partition"),
}


@pytest.mark.parametrize("index", [None, 0, 32, 64, 96])
@pytest.mark.parametrize("data", [None, 0, 32])
@pytest.mark.parametrize("name", BODIES)
def test_an_operand_starts_where_its_index_does(name: str, data: int | None, index: int | None, check: Checker) -> None:
    body, rule = BODIES[name]
    places = ["" if at is None else f", address=({at}, {start})" for at, start in ((data, 0), (index, 2048))]
    write(check.folder, k=KERNEL.format(data=places[0], index=places[1], body=body))
    wrong = None not in (data, index) and data != index
    status = check("k.py::kernel", "--arg", "x=f32[16,128]", "--target", "trn3", "--phase", "3")
    assert status == wrong, check.out
    assert (rule in check.out) is wrong


MODES = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, n):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        {body}
        nisa.dma_copy(dst=out, src=t)
        return out
"""
CALLS = {
    "dge_mode": "nisa.dma_copy(dst=t, src=x, dge_mode=n)",
    "oob_mode": "nisa.dma_copy(dst=t, src=x, oob_mode=n)",
    "engine of a copy": "nisa.tensor_copy(t, t, engine=n)",
    "engine of a memset": "nisa.memset(t, 0.0, engine=n)",
    "engine of a sum": "nisa.tensor_tensor(t, t, t, nl.add, engine=n)",
}


@pytest.mark.parametrize(
    "call", representatives(CALLS, kind=lambda call: call.partition(" of ")[0], name=lambda call: call)
)
def test_a_symbolic_mode_is_what_its_numbers_are(call: str, check: Checker) -> None:
    write(check.folder, k=MODES.format(body=CALLS[call]))
    legal = []
    for number in range(9):
        status = check("k.py::kernel", "--arg", "x=f32[128,64]", "--arg", f"n={number}", "--phase", "1")
        assert status in (0, 1), check.out
        # A dimension that has one value, and one of two: the same rule as for the plain number.
        assert (
            check("k.py::kernel", "--arg", "x=f32[128,64]", "--arg", f"n=n:{number}..{number}", "--phase", "1")
            == status
        )
        legal.append(not status)
    for first in range(8):
        both = legal[first] and legal[first + 1]
        words = ("--arg", "x=f32[128,64]", "--arg", f"n=n:{first}..{first + 1}", "--phase", "1")
        assert check("k.py::kernel", *words) == (not both), check.out
        assert "not replayed" not in check.out
