"""Kernels called as tests of the vendor's simulator call them: nothing here knows of nkiverify."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import nki as current_nki
import nki.isa as current_nisa
import nki.language as current_nl
import numpy as np
import pytest


@nki.jit(mode="simulation")
def add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a) + nl.load(b))
    return out


def twice_into(a, out):
    nl.store(out, nl.load(a) * 2)


@nki.jit
def exp_in_blocks(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    columns = nl.program_id(1) * 32 + nl.arange(32)[None, :]
    nl.store(out[rows, columns], nl.exp(nl.load(a[rows, columns])))
    return out


@current_nki.jit
def sum_and_copy(a, b):
    total = current_nl.ndarray(a.shape, dtype=a.dtype, buffer=current_nl.shared_hbm)
    copy = current_nl.ndarray(a.shape, dtype=a.dtype, buffer=current_nl.shared_hbm)
    left, right = current_nl.load(a), current_nl.load(b)
    result = current_nl.ndarray(a.shape, dtype=a.dtype, buffer=current_nl.sbuf)
    current_nisa.tensor_tensor(dst=result, data1=left, data2=right, op=current_nl.add)
    current_nl.store(total, result)
    current_nl.store(copy, left)
    return total, copy


def random(*shape):
    return np.random.default_rng(0).random(shape).astype(np.float32)


def test_a_kernel_for_simulation_is_called_like_a_function():
    x, y = random(128, 64), random(128, 64) + 1
    assert np.allclose(add(x, y), x + y)
    assert np.allclose(add(x, b=y), x + y)


def test_simulate_kernel_takes_positions_and_keywords():
    x, y = random(128, 64), random(128, 64) + 1
    assert np.allclose(nki.simulate_kernel(add, x, y), x + y)
    assert np.allclose(nki.simulate_kernel(add, x, b=y), x + y)


@pytest.mark.parametrize(
    "made",
    [
        lambda: twice_into,
        lambda: nki.jit(twice_into),
        lambda: nki.trace(twice_into),
        lambda: nki.jit(mode="auto")(twice_into),
    ],
)
def test_output_parameters_are_written_in_place(made):
    x, out = random(128, 64), np.zeros((128, 64), np.float32)
    assert nki.simulate_kernel(made(), x, out) is None
    assert np.allclose(out, 2 * x)


def test_output_parameters_of_a_call_are_written_in_place():
    x, out = random(128, 64), np.zeros((128, 64), np.float32)
    nki.jit(twice_into, mode="simulation")(x, out=out)
    assert np.allclose(out, 2 * x)


def test_kernels_are_decorated_twice():
    x = random(128, 64)
    for kernel in (
        nki.jit(add),
        nki.jit(nki.jit(twice_into)),
        nki.baremetal(add),
        nki.benchmark(warmup=1, iters=2)(add),
    ):
        out = np.zeros_like(x)
        result = nki.simulate_kernel(kernel, x, out)
        assert np.allclose(x if kernel.__name__ == "add" else 2 * x, out if result is None else result)


@pytest.mark.parametrize(
    "decorate", [nki.baremetal, nki.benchmark(warmup=5, iters=10), nki.profile(working_directory="/tmp")]
)
def test_what_is_for_a_device_is_computed_and_not_measured(decorate):
    kernel, x, out = decorate(twice_into), random(128, 64), np.zeros((128, 64), np.float32)
    kernel(x, out)
    assert np.allclose(out, 2 * x)
    with pytest.raises(NotImplementedError, match="measures twice_into on a Neuron device"):
        _ = kernel.benchmark_result


@pytest.mark.parametrize("grid", [(2, 2), (nl.spmd_dim(nl.nc(2), 1), 2)])
def test_grids(grid):
    x = random(256, 64)
    assert np.allclose(exp_in_blocks[grid](x), np.exp(x))
    assert np.allclose(nki.simulate_kernel(exp_in_blocks[grid], x), np.exp(x))


@pytest.mark.parametrize(
    "call",
    [
        lambda *given: sum_and_copy(*given),
        lambda *given: sum_and_copy[2](*given),
        lambda *given: current_nki.simulate(sum_and_copy)(*given),
        lambda *given: current_nki.simulate(sum_and_copy[1])(*given),
        lambda *given: current_nki.simulate_kernel(sum_and_copy[2], *given),
        lambda *given: current_nki.jit(mode="simulation")(sum_and_copy)(*given),
    ],
)
def test_the_current_api_returns_tuples(call):
    x, y = random(128, 64), random(128, 64) + 1
    total, copy = call(x, y)
    assert np.allclose(total, x + y)
    assert np.array_equal(copy, x)


@pytest.mark.parametrize("language", [nl, current_nl])
@pytest.mark.parametrize(
    "name",
    [
        "bool_",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "float16",
        "bfloat16",
        "float32",
        "float8_e4m3",
        "float8_e5m2",
    ],
)
def test_dtypes_are_those_of_numpy(language, name):
    dtype = getattr(language, name)
    x = (random(16, 64) * 4).astype(dtype)
    assert np.zeros(3, dtype=dtype).dtype == dtype
    assert np.dtype(dtype) == x.dtype
    copied = nki.simulate_kernel(copy_of, x)
    assert copied.dtype == x.dtype
    assert copied.dtype == dtype
    assert np.array_equal(copied, x)


def copy_of(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


def test_functions_of_the_language_take_arrays():
    x = random(128, 64)
    assert np.allclose(nl.exp(x), np.exp(x))
    assert np.allclose(current_nl.add(x, x), 2 * x)
    assert np.allclose(nl.sum(x, axis=1, keepdims=True), x.sum(axis=1, keepdims=True))
    wide = random(2, 3, 300, 5).astype(np.float64)
    assert nl.static_cast(wide, nl.bfloat16).dtype == nl.bfloat16
    assert np.array_equal(nl.static_cast(wide, np.float32), wide.astype(np.float32))


def test_arrays_of_other_libraries():
    class Elsewhere:
        def __init__(self, held):
            self.held = held

        def __array__(self, dtype=None, copy=None):
            return self.held

    x = random(128, 64)
    assert np.allclose(add(Elsewhere(x), Elsewhere(x)), 2 * x)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e5m2", "int32"])
def test_tensors_of_torch(name):
    torch = pytest.importorskip("torch")
    x = torch.arange(64).reshape(8, 8).to(getattr(torch, name))
    out = torch.zeros(8, 8, dtype=x.dtype)
    result = nki.simulate_kernel(copy_of, x)
    assert result.dtype == x.dtype
    assert torch.equal(result.float(), x.float())
    nki.simulate_kernel(lambda a, out: nl.store(out, nl.load(a)), x, out)
    assert torch.equal(out.float(), x.float())


def test_helpers_of_published_tests(capsys):
    import neuron_dtypes as dt
    from neuronxcc.starfish.support.dtype import bfloat16, static_cast
    from neuronxcc.starfish.support.util import allclose

    x = random(8, 8)
    rounded = static_cast(x, bfloat16)
    assert allclose(rounded, x, rtol=1e-2)
    assert not allclose(x, x + 1, verbose=1)
    assert "greatest difference 1 " in capsys.readouterr().out
    assert np.array_equal(dt.static_cast(x, dt.bfloat16), rounded)
    assert (dt.sizeinbytes(dt.bfloat16), dt.sizeinbytes(np.float32)) == (2, 4)
    assert dt.finfo(dt.float8_e5m2).max == 57344
