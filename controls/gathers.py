"""Controls of contracts about gathers, shuffles and exchanges between cores."""

import nki
import nki.isa as nisa
import nki.language as nl


def shuffle__mask_len():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst,
        src,
        [
            either(right=255, wrong=32),
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
            31,
        ],
    )


def shuffle__dtype():
    dst = nl.ndarray((64, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((32, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst, src, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    )


src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)


def local_gather__sbuf():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__partitions():
    src_buffer = nl.ndarray((either(right=16, wrong=32), 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__nelem():
    dst = nl.ndarray((16, either(right=64, wrong=96)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_elem_per_idx=either(right=2, wrong=3))


def local_gather__count():
    dst = nl.ndarray((16, either(right=32, wrong=33)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=index, value=0)
    either(
        right=nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index),
        wrong=nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_valid_indices=33),
    )


def local_gather__index_dtype():
    if WRONG:
        index = nl.ndarray((16, 2), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.memset(dst=index, value=0)
    if RIGHT:
        index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
        nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__same_dtype():
    dst = nl.ndarray((16, 32), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__known_060():
    nisa.memset(dst=index, value=0)
    either(
        right=nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index),
        wrong=nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_elem_per_idx=2),
    )


@nki.jit
def local_gather__oob(indices: either(right="u16[16, 2] in 0..7", wrong="u16[16, 2] in 0..8")):
    nisa.memset(dst=index, value=0)
    nisa.dma_copy(index, indices)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)


@nki.jit
def n_gather__sbuf(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__dtype(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__shape(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, either(right=3, wrong=4)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__range__right(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__range__wrong(indices: "u32[2, 3] in 0..8", indices2: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst3 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst3, indices2)
    nisa.nc_n_gather(dst=dst2, data=data, indices=dst)


src = dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)


@control(cores=either(right=2, wrong=1))
@nki.jit
def sendrecv__gen3_lnc2():
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@control(cores=2)
@nki.jit
def sendrecv__ranks():
    nisa.sendrecv(src=src, dst=dst, send_to_rank=either(right=1, wrong=2), recv_from_rank=1, pipe_id=0)


@control(cores=2)
@nki.jit
def sendrecv__operands():
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@control(cores=2)
@nki.jit
def sendrecv__shape():
    dst = nl.ndarray((2, either(right=256, wrong=255)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@control(cores=2)
@nki.jit
def sendrecv__gpsimd_size():
    src = nl.ndarray((2, either(right=256, wrong=257)), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, either(right=256, wrong=257)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0, dma_engine=nisa.dma_engine.gpsimd_dma)


@control(cores=2)
@nki.jit
def core_barrier__cores(x: "f32[2, 4]"):
    nisa.core_barrier(x, (0, either(right=1, wrong=2)))


@control(cores=either(right=2, wrong=1))
@nki.jit
def core_barrier__scope(x: "f32[2, 4]"):
    nisa.core_barrier(x, (0, 1))


@control(cores=2)
@nki.jit
def core_barrier__data__right(x: "f32[2, 4]"):
    nisa.core_barrier(x, (0, 1))


@control(cores=2)
@nki.jit
def core_barrier__data__wrong():
    data = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.core_barrier(data, (0, 1))


@control(cores=2)
@nki.jit
def core_barrier__both(x: "f32[2, 4]"):
    out = nl.ndarray((2, 2, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    nisa.dma_copy(out[nl.program_id(0)], tile)
    if either(right=True, wrong=nl.program_id(0) == 0):
        nisa.core_barrier(out, (0, 1))
    return out


@control(cores=2)
@nki.jit
def sendrecv__pipe(x: "f32[2, 4]"):
    out = nl.ndarray((2, 2, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    sent = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    received = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(sent, x)
    other = 1 - nl.program_id(0)
    pipe = either(right=0, wrong=nl.program_id(0))
    nisa.sendrecv(src=sent, dst=received, send_to_rank=other, recv_from_rank=other, pipe_id=pipe)
    nisa.dma_copy(out[nl.program_id(0)], received)
    return out
