"""Controls of contracts about kernels and their launches."""

import nki
import nki.language as nl


@nki.jit
def _empty():
    pass


@control(cores=either(right=2, wrong=3))
@nki.jit
def lnc__bracket():
    nl.program_id(0)


@control(cores=2)
@nki.jit
def lnc__ids():
    nl.program_id(either(right=0, wrong=1))


@nki.jit
def lang__no_nested_jit():
    either(right=nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf), wrong=_empty())


@control(cores=2, also=("lang.no_nested_jit",))
@nki.jit
def lang__no_nested_grid():
    either(right=nl.program_id(0), wrong=_empty[2]())


@either(right=nki.jit, wrong=nki.jit(platform_target="trn2"))
def lang__target():
    pass


@nki.jit
def lang__no_list_args(sizes: either(right="(1, 2)", wrong="[1, 2]")):
    nl.ndarray(sizes, dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def mem__io_hbm(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.shared_hbm, wrong=nl.sbuf))


@nki.jit
def mem__output_shared_hbm(x: "f32[2, 4]"):
    return nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.shared_hbm, wrong=nl.private_hbm))


def kernel__assert(n: either(right="n: 1..128", wrong="n: 1..129")):
    assert n <= 128


def kernel__exception(n: either(right="n: 1..128", wrong="n: 1..129")):
    if n > 128:
        raise ValueError("too many partitions")
