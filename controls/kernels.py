"""Controls of contracts about kernels and their launches."""

import nki
import nki.language as nl


@nki.jit
def _empty():
    pass


@nki.jit
def lnc__bracket__right():
    """On 2 cores."""
    nl.program_id(0)


@nki.jit
def lnc__bracket__wrong():
    """On 3 cores."""
    nl.program_id(0)


@nki.jit
def lnc__ids__right():
    """On 2 cores."""
    nl.program_id(0)


@nki.jit
def lnc__ids__wrong():
    """On 2 cores."""
    nl.program_id(1)


@nki.jit
def lang__no_nested_jit__right():
    nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def lang__no_nested_jit__wrong():
    _empty()


@nki.jit
def lang__target__right():
    pass


@nki.jit(platform_target="trn2")
def lang__target__wrong():
    pass


@nki.jit
def lang__no_list_args__right(sizes: "(1, 2)"):
    nl.ndarray(sizes, dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def lang__no_list_args__wrong(sizes: "[1, 2]"):
    nl.ndarray(sizes, dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def mem__io_hbm__right(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)


@nki.jit
def mem__io_hbm__wrong(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def mem__output_shared_hbm__right(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)


@nki.jit
def mem__output_shared_hbm__wrong(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.private_hbm)


def kernel__assert__right(n: "n: 1..128"):
    assert n <= 128


def kernel__assert__wrong(n: "n: 1..129"):
    assert n <= 128


def kernel__exception__right(n: "n: 1..128"):
    if n > 128:
        raise ValueError("too many partitions")


def kernel__exception__wrong(n: "n: 1..129"):
    if n > 128:
        raise ValueError("too many partitions")
