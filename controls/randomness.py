"""Controls of contracts about random numbers."""

import nki.isa as nisa
import nki.language as nl


def rng__dst():
    dst = nl.ndarray((2, 8), dtype=either(right=nl.uint32, wrong=nl.float32), buffer=nl.sbuf)
    nisa.rng(dst)


def rng__engine():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.rng(dst, nisa.engine.gpsimd)


def set_rng_seed__src():
    src_seeds = nl.ndarray((1, either(right=1, wrong=2)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.set_rng_seed(src_seeds)


def rand_set_state__src():
    src_seeds = nl.ndarray((2, either(right=6, wrong=7)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds)


@control(on=either(right="trn3", wrong="trn2"))
def rand_set_state__engine():
    src_seeds = nl.ndarray((2, 24), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds, engine=nisa.engine.vector)


def rand_get_state__dst():
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.rand_get_state(dst)


@control(on=either(right="trn2", wrong="trn1"))
def rand_get_state__engine():
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst)


dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def rand2__gen4():
    nisa.rand2(dst, 0.0, 1.0)


@control(on="trn3")
def rand2__dtype():
    dst = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.bool_), buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 1.0)


@control(on="trn3")
def rand2__bounds():
    min = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, min, 1.0)


@control(on="trn3")
def rand2__order():
    nisa.rand2(dst, either(right=0.0, wrong=0.5), 0.5)


data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


def dropout__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


def dropout__prob():
    nisa.dropout(dst, data, either(right=1.0, wrong=1.5))


def dropout__dtype():
    dst = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


@control(on=either(right="trn3", wrong="trn2"))
def nl__random_seed__engine():
    seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nl.random_seed(seed)


@control(on="trn3")
def nl__random_seed__right():
    seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nl.random_seed(seed)


def nl__random_seed__wrong():
    nl.random_seed(7)
