"""Controls of contracts about allocation and engines."""

import nki.isa as nisa
import nki.language as nl


def mem__gpsimd_no_psum():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def mem__partitions_128():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (either(right=128, wrong=129), 6))


def mem__address_form():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=(0, either(right=0, wrong=-4)))


def mem__operands_fit():
    dst = nl.ndarray((128, either(right=26622, wrong=26624)), nl.float32, nl.sbuf)
    src = nl.ndarray((128, either(right=26622, wrong=26624)), nl.float32, nl.sbuf)
    nisa.tensor_copy(dst, src)


def mem__addr_range():
    tile = nl.ndarray((128, 1024), nl.float32, nl.sbuf, address=(0, either(right=208888, wrong=208892)))
    nisa.memset(tile, 0)


def mem__psum_bank_start():
    tile = nl.ndarray((128, 256), nl.float32, nl.psum, address=(0, either(right=2048, wrong=1024)))
    nisa.memset(tile, 0)


def mem__placed_overlap():
    one = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, 0))
    two = nl.ndarray((128, 64), nl.float32, nl.sbuf, address=(0, either(right=256, wrong=128)))
    nisa.memset(one, 0)
    nisa.memset(two, 1)
    nisa.tensor_tensor(two, one, two, nl.add)


def mem__start_partition():
    tile = nl.ndarray((128, 64), nl.float32, nl.sbuf)
    nisa.memset(either(right=tile[32:64], wrong=tile[16:48]), 0)


def mem__vec_free_limit():
    dst = nl.ndarray((4, either(right=65536, wrong=65537)), nl.uint8, nl.sbuf)
    src = nl.ndarray((4, either(right=65536, wrong=65537)), nl.uint8, nl.sbuf)
    nisa.tensor_copy(dst, src, engine=nisa.engine.vector)


def mem__ap_isa_ranges():
    tile = nl.ndarray((4, 2, either(right=32767, wrong=32768)), nl.uint8, nl.sbuf)
    nisa.memset(tile[:, :, 0:16], 0)
