"""Controls of contracts about allocation and engines."""

import nki.isa as nisa
import nki.language as nl


def mem__gpsimd_no_psum__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def mem__gpsimd_no_psum__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def mem__partitions_128__right():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (128, 6))


def mem__partitions_128__wrong():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (129, 6))


def mem__address_form__right():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=(0, 0))


def mem__address_form__wrong():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=(0, -4))


def mem__operands_fit__right():
    dst = nl.ndarray((128, 26622), nl.float32, nl.sbuf)
    src = nl.ndarray((128, 26622), nl.float32, nl.sbuf)
    nisa.tensor_copy(dst, src)


def mem__operands_fit__wrong():
    dst = nl.ndarray((128, 26624), nl.float32, nl.sbuf)
    src = nl.ndarray((128, 26624), nl.float32, nl.sbuf)
    nisa.tensor_copy(dst, src)


def mem__addr_range__right():
    tile = nl.ndarray((128, 1024), nl.float32, nl.sbuf, address=(0, 208888))
    nisa.memset(tile, 0)


def mem__addr_range__wrong():
    tile = nl.ndarray((128, 1024), nl.float32, nl.sbuf, address=(0, 208892))
    nisa.memset(tile, 0)


def mem__psum_bank_start__right():
    tile = nl.ndarray((128, 256), nl.float32, nl.psum, address=(0, 2048))
    nisa.memset(tile, 0)


def mem__psum_bank_start__wrong():
    tile = nl.ndarray((128, 256), nl.float32, nl.psum, address=(0, 1024))
    nisa.memset(tile, 0)


def mem__placed_overlap__right():
    one = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 0))
    two = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 256))
    nisa.memset(one, 0)
    nisa.memset(two, 1)
    nisa.tensor_tensor(two, one, two, nl.add)


def mem__placed_overlap__wrong():
    one = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 0))
    two = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 128))
    nisa.memset(one, 0)
    nisa.memset(two, 1)
    nisa.tensor_tensor(two, one, two, nl.add)


def mem__start_partition__right():
    tile = nl.ndarray((128, 64), nl.float32, nl.sbuf)
    nisa.memset(tile[32:64], 0)


def mem__start_partition__wrong():
    tile = nl.ndarray((128, 64), nl.float32, nl.sbuf)
    nisa.memset(tile[16:48], 0)


def mem__vec_free_limit__right():
    dst = nl.ndarray((4, 65536), nl.uint8, nl.sbuf)
    src = nl.ndarray((4, 65536), nl.uint8, nl.sbuf)
    nisa.tensor_copy(dst, src, engine=nisa.engine.vector)


def mem__vec_free_limit__wrong():
    dst = nl.ndarray((4, 65537), nl.uint8, nl.sbuf)
    src = nl.ndarray((4, 65537), nl.uint8, nl.sbuf)
    nisa.tensor_copy(dst, src, engine=nisa.engine.vector)


def mem__ap_isa_ranges__right():
    tile = nl.ndarray((4, 2, 32767), nl.uint8, nl.sbuf)
    nisa.memset(tile[:, :, 0:16], 0)


def mem__ap_isa_ranges__wrong():
    tile = nl.ndarray((4, 2, 32768), nl.uint8, nl.sbuf)
    nisa.memset(tile[:, :, 0:16], 0)
