"""Controls of contracts about random numbers."""

import nki.isa as nisa
import nki.language as nl


def rng__dst__right():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rng(dst)


def rng__dst__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rng(dst)


def rng__engine__right():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rng(dst, nisa.engine.gpsimd)


def rng__engine__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.psum)
    nisa.rng(dst, nisa.engine.gpsimd)


def set_rng_seed__src__right():
    src_seeds = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.set_rng_seed(src_seeds)


def set_rng_seed__src__wrong():
    src_seeds = nl.ndarray((1, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.set_rng_seed(src_seeds)


def rand_set_state__src__right():
    src_seeds = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds)


def rand_set_state__src__wrong():
    src_seeds = nl.ndarray((2, 7), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds)


def rand_set_state__engine__right():
    """On trn3."""
    src_seeds = nl.ndarray((2, 24), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds, engine=nisa.engine.vector)


def rand_set_state__engine__wrong():
    src_seeds = nl.ndarray((2, 24), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_set_state(src_seeds, engine=nisa.engine.vector)


def rand_get_state__dst__right():
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst)


def rand_get_state__dst__wrong():
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.psum)
    nisa.rand_get_state(dst)


def rand_get_state__engine__right():
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst)


def rand_get_state__engine__wrong():
    """On trn1."""
    dst = nl.ndarray((2, 6), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.rand_get_state(dst)


def rand2__gen4__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 1.0)


def rand2__gen4__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 1.0)


def rand2__dtype__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 1.0)


def rand2__dtype__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.bool_, buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 1.0)


def rand2__bounds__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    min = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, min, 1.0)


def rand2__bounds__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    min = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, min, 1.0)


def rand2__order__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, 0.0, 0.5)


def rand2__order__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.rand2(dst, 0.5, 0.5)


def dropout__shape__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


def dropout__shape__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


def dropout__prob__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 1.0)


def dropout__prob__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 1.5)


def dropout__dtype__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


def dropout__dtype__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dropout(dst, data, 0.5)


def nl__random_seed__right():
    seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nl.random_seed(seed)


def nl__random_seed__wrong():
    nl.random_seed(7)
