"""Device loops of a launch whose sizes are numbers: how often they go round, and what their bodies allocate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.check.kernel_files import Checker, write

LOOPS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    def rows_at(tensor, index, columns):
        return tensor.ap(pattern=[[columns, 128], [1, columns]], offset=0, scalar_offset=index, indirect_dim=0)


    @nki.jit
    def copied(x, stop, step=128):
        rows, columns = x.shape
        out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        for row in nl.dynamic_range(0, stop, step):
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=rows_at(x, row, columns))
            nisa.dma_copy(dst=rows_at(out, row, columns), src=tile)
        return out


    @nki.jit
    def counted(x, used, after):
        rows, columns = x.shape
        out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        count = 0
        for row in nl.dynamic_range(0, rows, 128):
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            at = out[count : count + 128] if used else rows_at(out, row, columns)
            nisa.dma_copy(dst=tile, src=rows_at(x, row, columns))
            nisa.dma_copy(dst=at, src=tile)
            count += 128
        if after:
            nisa.dma_copy(dst=out[count - 128 : count], src=x[0:128])
        return out


    @nki.jit
    def summed(x, times, filled=128):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(total, 0.0)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=times)
        register = nisa.register_alloc()
        nisa.register_load(register, count)
        for _ in nl.dynamic_range(register):
            tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:filled], src=x[0:filled])
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=out, src=total)
        return out


    @nki.jit
    def while_there_are(x, left, started=1, after=0, asked=0, leaves=0):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        if started:
            nisa.memset(total, 0.0)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=left)
        more = nisa.register_alloc(count)
        if asked and more:
            return x
        if leaves:
            while more:
                break
        while more:
            tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[0:128])
            nisa.tensor_tensor(dst=total, data1=total if started else tile, data2=tile, op=nl.add)
            nisa.dma_copy(dst=count, src=left)
            nisa.register_load(more, count)
        nisa.dma_copy(dst=out, src=tile if after else total)
        return out
"""


@pytest.mark.parametrize(
    ("kernel", "arguments", "status", "said"),
    [
        ("copied", ("x=f32[512,64]", "stop=512"), 0, ""),
        ("copied", ("x=f32[512,64]", "stop=384"), 1, "df.output_written"),
        ("copied", ("x=f32[512,64]", "stop=513"), 1, "oob"),
        ("copied", ("x=f32[512,64]", "stop=512", "step=256"), 1, "df.output_written"),
        # The body is emitted once, and so is what it counts.
        ("counted", ("x=f32[512,64]", "used=0", "after=0"), 0, ""),
        ("counted", ("x=f32[512,64]", "used=1", "after=0"), 1, "df.output_written"),
        ("counted", ("x=f32[512,64]", "used=0", "after=1"), 0, ""),
        # How often the body is executed is not known, but what it allocates is used in it alone.
        ("summed", ("x=f32[128,64]", "times=i32[1,1] in 0..8"), 0, ""),
        # One round is among what the count may be: it adds rows that nobody has written.
        ("summed", ("x=f32[128,64]", "times=i32[1,1] in 0..8", "filled=127"), 1, "df.read_unwritten"),
        # So is the body of a bare `while register:`.
        ("while_there_are", ("x=f32[128,64]", "left=i32[1,1]"), 0, ""),
        ("while_there_are", ("x=f32[R:128..256,64]", "left=i32[1,1]"), 0, ""),
        ("while_there_are", ("x=f32[127,64]", "left=i32[1,1]"), 1, "idx.oob"),
        ("while_there_are", ("x=f32[128,64]", "left=i32[1,1]", "after=1"), 1, "loop.escape"),
        ("while_there_are", ("x=f32[128,64]", "left=i32[1,1]", "started=0"), 3, "UNKNOWN"),
        ("while_there_are", ("x=f32[128,64]", "left=i32[1,1]", "asked=1"), 3, "the truth value of a register"),
        ("while_there_are", ("x=f32[128,64]", "left=i32[1,1]", "leaves=1"), 3, "the truth value of a register"),
    ],
)
def test_a_device_loop(kernel: str, arguments: tuple[str, ...], status: int, said: str, check: Checker) -> None:
    write(check.folder, k=LOOPS)
    words = [word for argument in arguments for word in ("--arg", argument)]
    assert check(f"k.py::{kernel}", *words) == status, check.out
    assert said in check.out


ROUNDS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    class Place:
        row = 0

        def next(self):
            self.row += 1
            return self.row


    def numbers():
        number = 1
        while True:
            yield number
            number += 1


    @nki.jit
    def kernel(x, n):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        left = nl.ndarray((1, 1), dtype=n.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=n)
        register = nisa.register_alloc()
        nisa.register_load(register, left)
        row, rows, place, endless, seen = 0, [0], Place(), numbers(), {}
        after = None

        def copied(at):
            tile = nl.ndarray((1, 8), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[at : at + 1])
            nisa.dma_copy(dst=out[at : at + 1], src=tile)

        def one_less():
            nisa.tensor_scalar(dst=left, data=left, op0=nl.add, operand0=-1)
            nisa.register_load(register, left)
            return register

        def body(register):
            nonlocal row, after
            BODY
            return one_less()

        LOOP
        if after is not None:
            copied(after)
        return out
"""
FORMS = {
    "while_loop": "nl.while_loop(register, body)",
    "fori_loop": "nl.fori_loop(0, register, body)",
    "dynamic_range": "for i in nl.dynamic_range(register):\n            BODY",
    "while": "while register:\n            BODY\n            one_less()",
}
#: A body that copies row 1, then 2, and so on as Python runs it, and only row 1 as it is traced once.
BODIES = {
    "local": "row += 1; copied(row - 1)",
    "list": "copied(len(rows) - 1); rows.append(0)",
    "attribute": "copied(place.next() - 1)",
    "class": "copied(Place.row); Place.row += 1",
    "new_name": "seen['at'] = seen.get('at', -1) + 1; copied(seen['at'])",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("body", BODIES)
def test_a_body_is_traced_once(form: str, body: str, check: Checker) -> None:
    def written(after: str = "") -> None:
        write(check.folder, k=ROUNDS.replace("LOOP", FORMS[form]).replace("BODY", f"{BODIES[body]}; {after}"))

    np.save(check.folder / "n.npy", np.array([[4]], np.int32))
    written()
    assert check("k.py::kernel", "--arg", "x=f32[4,8]", "--arg", "n=@n.npy") == 1, check.out
    assert "df.output_written" in check.out
    # After the loop its state is that of one trace: the one row that it has copied, and the next.
    written("after = 1")
    assert check("k.py::kernel", "--arg", "x=f32[2,8]", "--arg", "n=@n.npy") == 0, check.out


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("for i in nl.dynamic_range(register):\n            copied(0)\n            break", "left in its middle"),
        ("while register:\n            copied(0)\n            break", "truth value of a register"),
    ],
)
def test_a_loop_that_is_not_followed(loop: str, said: str, check: Checker) -> None:
    write(check.folder, k=ROUNDS.replace("LOOP", loop).replace("BODY", ""))
    np.save(check.folder / "n.npy", np.array([[4]], np.int32))
    assert check("k.py::kernel", "--arg", "x=f32[1,8]", "--arg", "n=@n.npy") == 3, check.out
    assert said in check.out


@pytest.mark.parametrize(
    "loop",
    [
        "for k, i in enumerate(nl.dynamic_range(register)): copied(k)",
        "for i in nl.dynamic_range(register): copied(next(endless) - 1)",
    ],
)
def test_a_body_that_cannot_be_run_again_is_proved_as_it_is_traced_once(loop: str, check: Checker) -> None:
    write(check.folder, k=ROUNDS.replace("LOOP", loop).replace("BODY", ""))
    np.save(check.folder / "n.npy", np.array([[4]], np.int32))
    assert check("k.py::kernel", "--arg", "x=f32[1,8]", "--arg", "n=@n.npy") == 0, check.out


def test_rounds_that_somebody_else_counts_are_not_followed_in_any_phase(check: Checker) -> None:
    """The one trace of the body has the first count."""
    write(check.folder, k=ROUNDS.replace("LOOP", "for k, i in enumerate(nl.dynamic_range(register)): copied(k)"))
    np.save(check.folder / "n.npy", np.array([[4]], np.int32))
    assert check("k.py::kernel", "--arg", "x=f32[4,8]", "--arg", "n=@n.npy", "--phase", "4") == 3, check.out


@pytest.mark.parametrize("form", FORMS)
def test_a_body_that_is_never_executed_is_traced(form: str, check: Checker) -> None:
    write(check.folder, k=ROUNDS.replace("LOOP", FORMS[form]).replace("BODY", "copied(0); after = 0"))
    np.save(check.folder / "n.npy", np.array([[0]], np.int32))
    assert check("k.py::kernel", "--arg", "x=f32[1,8]", "--arg", "n=@n.npy") == 0, check.out


NESTED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, number):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=number)
        other, outside, inside = nisa.register_alloc(3), nisa.register_alloc(4), nisa.register_alloc(5)

        {loops}
        nisa.dma_copy(dst=out, src=tile)
        return out
"""
#: Loops around a body that may use their register, by the names of the register of the loop and of the first condition.
KINDS = {
    "dynamic_range": "for {r} in nl.dynamic_range(0, 4):\n    {body}",
    "fori_loop": "def {r}_body({r}):\n    {body}\n\nnl.fori_loop(0, 4, {r}_body)",
    "while_loop": "def {r}_body({r}):\n    {body}\n    return {r}\n\nnl.while_loop({first}, {r}_body)",
    "bare while": "{r} = {first}\nwhile {r}:\n    {body}",
}
WRITES = ("nisa.register_move({}, 0)", "nisa.register_move({}, other)", "nisa.register_load({}, count)")


def indented(text: str, by: int = 4) -> str:
    return text.replace("\n", "\n" + " " * by)


@pytest.mark.parametrize("x", ["f32[64,4]", "f32[P:1..128,4]"])
@pytest.mark.parametrize("inner", KINDS)
@pytest.mark.parametrize("outer", KINDS)
def test_the_register_of_a_dynamic_range_alone_is_frozen(outer: str, inner: str, x: str, check: Checker) -> None:
    for written, frozen in (("a", outer == "dynamic_range"), ("b", inner == "dynamic_range"), ("other", False)):
        body = KINDS[inner].format(
            r="b", first="inside", body=indented("\n".join(write.format(written) for write in WRITES))
        )
        loops = KINDS[outer].format(r="a", first="outside", body=indented(body))
        write(check.folder, k=NESTED.format(loops=indented(loops, 8)))
        status = check("k.py::kernel", "--arg", f"x={x}", "--arg", "number=i32[1,1]", "--phase", "1")
        assert status == frozen, check.out
        assert ("loop.dynamic_frozen" in check.out) is frozen


AFTER = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def moved(x, number):
        out = nl.ndarray((8, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((8, 1), dtype=x.dtype, buffer=nl.sbuf)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=number)
        first = nisa.register_alloc(3)

        def body(i):
            {body}

        {loop}
        nisa.dma_copy(dst=out, src=x.ap(pattern=[[4, 8], [1, 1]], scalar_offset=first, indirect_dim=1))
        return out
"""


@pytest.mark.parametrize(
    ("loop", "body", "verdict"),
    [
        ("nl.fori_loop(0, 4, body)", "pass", "SUCCESSFUL"),
        # What is written to the register of a fori_loop has no effect, in its body either.
        (
            "nl.fori_loop(0, 4, body)",
            "nisa.register_move(i, 9)\n"
            "nisa.dma_copy(dst=tile, src=x.ap(pattern=[[4, 8], [1, 1]], scalar_offset=i, indirect_dim=1))",
            "SUCCESSFUL",
        ),
        (
            "nl.fori_loop(0, 5, body)",
            "nisa.register_move(i, 1)\n"
            "nisa.dma_copy(dst=tile, src=x.ap(pattern=[[4, 8], [1, 1]], scalar_offset=i, indirect_dim=1))",
            "FAILED",
        ),
        # The body of a while_loop may have loaded the next condition into the first register.
        ("nl.while_loop(first, body)", "nisa.register_load(i, count)\nreturn i", "UNKNOWN"),
    ],
)
def test_what_is_written_to_the_register_of_a_loop(loop: str, body: str, verdict: str, check: Checker) -> None:
    write(check.folder, k=AFTER.format(loop=loop, body=indented(body, 12)))
    for x in ("f32[8,4]", "f32[8,N:4..64]"):
        if x != "f32[8,4]" and verdict == "FAILED":
            continue
        words = ("--arg", f"x={x}", "--arg", "number=i32[1,1]", "--phase", "1")
        pattern = "[[4, 8]" if x == "f32[8,4]" else "[[x.shape[1], 8]"
        write(check.folder, k=AFTER.format(loop=loop, body=indented(body, 12)).replace("[[4, 8]", pattern))
        check("k.py::moved", *words)
        assert f"1  {verdict}" in check.out, check.out


def test_a_tile_of_before_the_loop_hides_no_domain(check: Checker) -> None:
    text = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, n):
        out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=n)
        register = nisa.register_alloc()
        nisa.register_load(register, count)
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.dynamic_range(register):
            nisa.dma_copy(dst=tile, src=x)
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=out, src=total)
        return out
    """
    write(check.folder, k=text)
    check("k.py")
    assert "kernel is legal where  x0*x1 == 65536, n0*n1 == 1" in check.out
