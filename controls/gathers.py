"""Controls of contracts about gathers, shuffles and exchanges between cores."""

import nki
import nki.isa as nisa
import nki.language as nl


def shuffle__mask_len__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst,
        src,
        [
            255,
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


def shuffle__mask_len__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst,
        src,
        [
            32,
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


def shuffle__dtype__right():
    dst = nl.ndarray((64, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst, src, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    )


def shuffle__dtype__wrong():
    dst = nl.ndarray((64, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((32, 9), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(
        dst, src, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    )


def local_gather__sbuf__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__sbuf__wrong():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.psum)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__partitions__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__partitions__wrong():
    src_buffer = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__nelem__right():
    dst = nl.ndarray((16, 64), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_elem_per_idx=2)


def local_gather__nelem__wrong():
    dst = nl.ndarray((16, 96), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_elem_per_idx=3)


def local_gather__count__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__count__wrong():
    dst = nl.ndarray((16, 33), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_valid_indices=33)


def local_gather__index_dtype__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__index_dtype__wrong():
    index = nl.ndarray((16, 2), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__same_dtype__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__same_dtype__wrong():
    dst = nl.ndarray((16, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__known_060__right():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


def local_gather__known_060__wrong():
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index, num_elem_per_idx=2)


@nki.jit
def local_gather__oob__right(indices: "u16[16, 2] in 0..7"):
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.dma_copy(index, indices)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


@nki.jit
def local_gather__oob__wrong(indices: "u16[16, 2] in 0..8"):
    dst = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.sbuf)
    src_buffer = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((16, 2), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.dma_copy(index, indices)
    nisa.local_gather(dst=dst, src_buffer=src_buffer, index=index)


@nki.jit
def n_gather__sbuf__right(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__sbuf__wrong(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__dtype__right(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__dtype__wrong(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.bfloat16, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__shape__right(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__shape__wrong(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.nc_n_gather(dst=dst, data=data, indices=dst2)


@nki.jit
def n_gather__range__right(indices: "u32[2, 3] in 0..7"):
    dst = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
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


@nki.jit
def sendrecv__gen3_lnc2__right():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__gen3_lnc2__wrong():
    """On 1 core."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__ranks__right():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__ranks__wrong():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=2, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__operands__right():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__operands__wrong():
    """On 2 cores."""
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.psum)
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__shape__right():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__shape__wrong():
    """On 2 cores."""
    dst = nl.ndarray((2, 255), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0)


@nki.jit
def sendrecv__gpsimd_size__right():
    """On 2 cores."""
    src = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0, dma_engine=nisa.dma_engine.gpsimd_dma)


@nki.jit
def sendrecv__gpsimd_size__wrong():
    """On 2 cores."""
    src = nl.ndarray((2, 257), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 257), dtype=nl.float32, buffer=nl.sbuf)
    nisa.sendrecv(src=src, dst=dst, send_to_rank=1, recv_from_rank=1, pipe_id=0, dma_engine=nisa.dma_engine.gpsimd_dma)


@nki.jit
def core_barrier__cores__right(x: "f32[2, 4]"):
    """On 2 cores."""
    nisa.core_barrier(x, (0, 1))


@nki.jit
def core_barrier__cores__wrong(x: "f32[2, 4]"):
    """On 2 cores."""
    nisa.core_barrier(x, (0, 2))


@nki.jit
def core_barrier__scope__right(x: "f32[2, 4]"):
    """On 2 cores."""
    nisa.core_barrier(x, (0, 1))


@nki.jit
def core_barrier__scope__wrong():
    """On 2 cores."""
    data = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.core_barrier(data, (0, 1))
