"""Launches on two cores that exchange tiles and wait for each other."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

P = 128


def loaded(tensor):
    tile = nl.ndarray(tensor.shape, dtype=tensor.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=tensor)
    return tile


@nki.jit
def swapped(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    mine, other = loaded(a[core]), nl.ndarray(a.shape[1:], dtype=a.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=out[core], src=other)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.int32, nl.bfloat16])
def test_two_cores_swap_tiles(dtype):
    a = (np.random.default_rng(0).random((2, P, 8)) * 100).astype(dtype)
    assert np.array_equal(swapped[2](a), a[::-1])
    assert np.array_equal(nki.simulate(swapped[2])(a), a[::-1])


@nki.jit
def summed(a, rounds):
    """Each core adds what the other one sends, again and again."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    mine = loaded(a[core])
    other = nl.ndarray(mine.shape, dtype=a.dtype, buffer=nl.sbuf)
    for turn in range(rounds):
        nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=turn % 2)
        nisa.tensor_tensor(dst=mine, data1=mine, data2=other, op=nl.add)
    nisa.dma_copy(dst=out[core], src=mine)
    return out


def test_exchanges_take_turns():
    a = np.random.default_rng(0).random((2, P, 8), dtype=np.float32)
    assert np.allclose(summed[2](a, 4), np.broadcast_to(8 * a.sum(axis=0), a.shape), rtol=1e-5)


@nki.jit
def turned(a):
    """Through memory that both cores share: what the other one has written is there after the barrier."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    shared = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=shared[core], src=loaded(a[core]))
    nisa.core_barrier(data=shared, cores=(0, 1))
    nisa.dma_copy(dst=out[core], src=loaded(shared[1 - core]))
    return out


def test_a_barrier_orders_two_cores():
    a = np.random.default_rng(0).random((2, P, 8), dtype=np.float32)
    assert np.array_equal(turned[2](a), a[::-1])


@nki.jit
def one_sided(a, waits):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = loaded(a)
    if nl.program_id(0) == 0 and waits == "barrier":
        nisa.core_barrier(data=out, cores=(0, 1))
    if nl.program_id(0) == 0 and waits == "sendrecv":
        nisa.sendrecv(src=tile, dst=tile, send_to_rank=1, recv_from_rank=1, pipe_id=0)
    if nl.program_id(0) == 1 and waits == "raises":
        raise ValueError("the second core")
    nisa.dma_copy(dst=out, src=tile)
    return out


@pytest.mark.parametrize("waits", ["barrier", "sendrecv"])
def test_a_core_that_waits_in_vain_is_told(waits):
    with pytest.raises(NotImplementedError, match="the other core does not"):
        one_sided[2](np.zeros((P, 4), np.float32), waits)


def test_what_one_core_raises_ends_both():
    with pytest.raises(ValueError, match="the second core"):
        one_sided[2](np.zeros((P, 4), np.float32), "raises")


def test_undefined_elements_are_sent_as_such():
    @nki.jit
    def kernel(a):
        out = nl.ndarray((2, P, 4), dtype=a.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        tile = nl.ndarray((P, 4), dtype=a.dtype, buffer=nl.sbuf)
        if core == 0:
            nisa.dma_copy(dst=tile, src=a)
        other = nl.ndarray((P, 4), dtype=a.dtype, buffer=nl.sbuf)
        nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
        nisa.dma_copy(dst=out[core], src=other)
        return out

    a = np.random.default_rng(0).random((P, 4), dtype=np.float32)
    with pytest.warns(UserWarning, match="nothing has written"):
        found = kernel[2](a)
    assert np.isnan(found[0]).all()
    assert np.array_equal(found[1], a)


def test_what_both_cores_allocate_anew_is_another_tensor():
    """Two launches in one process, and two tensors in one launch, do not share elements."""

    @nki.jit
    def kernel(a):
        made = []
        core = nl.program_id(0)
        for factor in (1.0, 2.0):
            out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
            tile = loaded(a[core])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
            nisa.dma_copy(dst=out[core], src=tile)
            made.append(out)
        return tuple(made)

    a = np.random.default_rng(0).random((2, P, 4), dtype=np.float32)
    for _ in range(2):
        once, twice = kernel[2](a)
        assert np.array_equal(once, a)
        assert np.array_equal(twice, 2 * a)
