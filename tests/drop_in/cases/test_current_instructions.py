"""Instructions of the current API, each against NumPy, as tests of the vendor's simulator are written."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

P, F = 128, 256


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def f32(array):
    return array.astype(np.float32)


def simulated(body, *arrays, out=None, dtype=None, results=1):
    """What instructions write to tiles of a shape and dtype, given tiles with the elements of arrays."""
    shape = arrays[0].shape if out is None else out

    @nki.jit
    def kernel(*tensors):
        tiles = []
        for tensor in tensors:
            tile = nl.ndarray(tensor.shape, dtype=tensor.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=tensor)
            tiles.append(tile)
        element = tensors[0].dtype if dtype is None else dtype
        written = [nl.ndarray(shape, dtype=element, buffer=nl.sbuf) for _ in range(results)]
        body(*written, *tiles)
        found = []
        for tile in written:
            tensor = nl.ndarray(shape, dtype=element, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=tensor, src=tile)
            found.append(tensor)
        return tuple(found) if results > 1 else found[0]

    return nki.simulate(kernel)(*arrays)


def sbuf(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def psum(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.psum)


FLOATS = ["float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2"]


@pytest.mark.parametrize("name", FLOATS)
def test_tensor_copy_converts(name):
    x = random(P, F)
    found = simulated(lambda dst, a: nisa.tensor_copy(dst, a), x, dtype=getattr(nl, name))
    assert np.array_equal(found, x.astype(getattr(nl, name)))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e5m2"])
def test_tensor_tensor(name, dtype):
    kind = getattr(nl, dtype)
    x, y = random(P, F).astype(kind), random(P, F, seed=1).astype(kind)
    found = simulated(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, op=getattr(nl, name)), x, y)
    assert np.array_equal(found, getattr(np, name)(f32(x), f32(y)).astype(kind))


def test_tensor_tensor_of_integers():
    x = np.random.default_rng(0).integers(0, 2**30, (P, F)).astype(np.int32)
    y = np.random.default_rng(1).integers(0, 2**30, (P, F)).astype(np.int32)
    assert np.array_equal(simulated(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, op=nl.add), x, y), x + y)
    found = simulated(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, op=nl.bitwise_or), x, y)
    assert np.array_equal(found, x | y)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32])
def test_shifts_keep_the_bits_there_is_room_for(dtype):
    x = np.random.default_rng(0).integers(0, 100, (P, F)).astype(dtype)
    found = simulated(lambda dst, a: nisa.tensor_scalar(dst, a, nl.left_shift, 3, op1=nl.bitwise_xor, operand1=5), x)
    assert np.array_equal(found, (x << dtype(3)) ^ dtype(5))
    # The shift to the right is logical: the sign is a bit as any other.
    shifted = simulated(lambda dst, a: nisa.tensor_scalar(dst, a, nl.right_shift, 1), x - dtype(50))
    bits = np.dtype(f"uint{8 * x.dtype.itemsize}")
    assert np.array_equal(shifted.view(bits), (x - dtype(50)).view(bits) >> bits.type(1))


def test_tensor_scalar():
    x, column = random(P, F), random(P, 1, seed=1)

    def body(dst, a, b):
        nisa.tensor_scalar(dst=dst, data=a, op0=nl.multiply, operand0=b, op1=nl.add, operand1=2.0)

    assert np.allclose(simulated(body, x, column), x * column + 2, atol=1e-6)
    reverse = simulated(lambda dst, a: nisa.tensor_scalar(dst, a, nl.subtract, 3.0, reverse0=True), x)
    assert np.allclose(reverse, 3 - x)
    compared = simulated(lambda dst, a: nisa.tensor_scalar(dst, a, nl.greater, 0.0), x, dtype=nl.uint8)
    assert np.array_equal(compared, x > 0)


def test_scalar_tensor_tensor():
    x, y, column = random(P, F), random(P, F, seed=1), random(P, 1, seed=2)

    def body(dst, a, b, c):
        nisa.scalar_tensor_tensor(dst=dst, data=a, op0=nl.subtract, operand0=c, op1=nl.multiply, operand1=b)

    assert np.allclose(simulated(body, x, y, column), (x - column) * y, atol=1e-5)


@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "minimum"])
def test_tensor_scalar_reduce(op):
    x = random(P, 16) / 4 + 1

    def body(dst, a):
        nisa.tensor_scalar_reduce(sbuf(P, 16), a, nl.multiply, 0.5, reduce_op=getattr(nl, op), reduce_res=dst)

    assert np.allclose(
        simulated(body, x, out=(P, 1)), getattr(np, op).reduce(x * 0.5, axis=1, keepdims=True), rtol=1e-5
    )


def test_tensor_scalar_reduce_goes_on_and_loads():
    x, start = random(P, 32), random(P, 1, seed=1)

    def body(dst, a, s):
        values = sbuf(P, 16)
        command = nisa.reduce_cmd
        nisa.tensor_scalar_reduce(
            values, a[:, 0:16], nl.add, 0.0, nl.add, reduce_cmd=command.load_reduce, reduce_init=s
        )
        nisa.tensor_scalar_reduce(values, a[:, 16:32], nl.add, 0.0, nl.add, dst, reduce_cmd=command.reduce)

    assert np.allclose(simulated(body, x, start, out=(P, 1)), x.sum(axis=1, keepdims=True) + start, atol=1e-4)


def test_tensor_scalar_cumulative():
    x = random(P, 64)

    def body(dst, a):
        nisa.tensor_scalar_cumulative(dst=dst, src=a, op0=nl.multiply, op1=nl.add, imm0=0.5)

    assert np.allclose(simulated(body, x), np.cumsum(x * 0.5, axis=1), atol=1e-4)

    def from_two(dst, a):
        nisa.tensor_scalar_cumulative(
            dst=dst,
            src=a,
            op0=nl.add,
            op1=nl.minimum,
            imm0=0.0,
            imm1=0.25,
            reduce_cmd=nisa.reduce_cmd.load_reduce,
        )

    assert np.array_equal(simulated(from_two, x), np.minimum(np.minimum.accumulate(x, axis=1), np.float32(0.25)))


def test_tensor_tensor_scan():
    x, y = random(P, 32), random(P, 32, seed=1)
    found = simulated(lambda dst, a, b: nisa.tensor_tensor_scan(dst, a, b, 1.0, nl.multiply, nl.add), x, y)
    state = np.ones(P, np.float32)
    for at in range(32):
        state = x[:, at] * state + y[:, at]
        assert np.allclose(found[:, at], state, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("op", ["add", "maximum", "minimum", "multiply"])
def test_tensor_reduce(op):
    x = random(P, 4, 8) / 4 + 1
    reference = getattr(np, op).reduce
    found = simulated(lambda dst, a: nisa.tensor_reduce(dst, getattr(nl, op), a, axis=2), x, out=(P, 4))
    assert np.allclose(found, reference(x, axis=2), rtol=1e-5)
    found = simulated(
        lambda dst, a: nisa.tensor_reduce(dst, getattr(nl, op), a, axis=(1, 2), negate=True), x, out=(P, 1)
    )
    assert np.allclose(found.ravel(), -getattr(np, op).reduce(x, axis=(1, 2)), rtol=1e-5)


def test_tensor_partition_reduce():
    x = random(P, 32)
    for op, reference in ((nl.add, np.sum), (nl.maximum, np.max)):
        found = simulated(lambda dst, a, op=op: nisa.tensor_partition_reduce(dst, op, a), x, out=(1, 32))
        assert np.allclose(found, reference(x, axis=0, keepdims=True), atol=1e-4)


def test_activation():
    x, bias, scale = random(P, F), random(P, 1, seed=1), random(P, 1, seed=2)
    found = simulated(lambda dst, a, b, s: nisa.activation(dst, nl.tanh, a, bias=b, scale=s), x, bias, scale)
    assert np.allclose(found, np.tanh(x * scale + bias), atol=1e-6)
    constant = simulated(lambda dst, a: nisa.activation(dst, nl.exp, a, bias=0.5, scale=2.0), x)
    assert np.allclose(constant, np.exp(2 * x + 0.5), rtol=1e-5)


def test_activation_reduce():
    x = random(P, F)

    def body(dst, a):
        nisa.activation_reduce(sbuf(P, F), nl.square, a, nl.add, dst)

    assert np.allclose(simulated(body, x, out=(P, 1)), (x * x).sum(axis=1, keepdims=True), rtol=1e-4)


def test_activate2():
    x = random(P, F)

    def body(dst, a):
        nisa.activate2(dst, nl.relu, a, 2.0, 1.0, nl.multiply, nl.subtract)

    assert np.allclose(simulated(body, x), np.maximum(x * 2 - 1, 0), atol=1e-6)


def test_exponential():
    x = random(P, F)
    best = x.max(axis=1, keepdims=True)

    def body(powers, total, a, m):
        nisa.exponential(powers, a, m, reduce_res=total[:, 0:1], reduce_cmd=nisa.reduce_cmd.reset_reduce)
        nisa.memset(total[:, 1:F], 0.0)

    powers, total = simulated(body, x, best, results=2)
    assert np.allclose(powers, np.exp(x - best), rtol=1e-5)
    assert np.allclose(total[:, :1], np.exp(x - best).sum(axis=1, keepdims=True), rtol=1e-4)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e4m3"])
def test_reciprocal(name):
    x = (np.abs(random(P, F)) + 0.5).astype(getattr(nl, name))
    found = simulated(nisa.reciprocal, x)
    assert np.array_equal(found, (1 / f32(x)).astype(getattr(nl, name)))


@pytest.mark.parametrize("name", FLOATS)
def test_nc_matmul(name):
    kind = getattr(nl, name)
    x, y = random(P, 64).astype(kind), random(P, F, seed=1).astype(kind)

    def body(dst, a, b):
        product = psum(64, F)
        nisa.nc_matmul(product, a, b)
        nisa.tensor_copy(dst, product)

    found = simulated(body, x, y, out=(64, F), dtype=nl.float32)
    assert np.allclose(found, f32(x).T @ f32(y), rtol=1e-4, atol=1e-4)


def test_nc_matmul_accumulates():
    x, y = random(P, 64), random(P, F, seed=1)

    def body(dst, a, b):
        product = psum(64, F)
        for step in range(3):
            nisa.nc_matmul(product, a, b, accumulate=step > 0)
        nisa.tensor_copy(dst, product)

    assert np.allclose(simulated(body, x, y, out=(64, F)), 3 * x.T @ y, rtol=1e-4, atol=1e-3)


def test_nc_matmul_in_double_rows():
    x = random(64, 2, 32).astype(nl.float8_e4m3)
    y = random(64, 2, F, seed=1).astype(nl.float8_e4m3)

    def body(dst, a, b):
        product = psum(32, F)
        nisa.nc_matmul(product, a, b, perf_mode=nisa.matmul_perf_mode.double_row)
        nisa.tensor_copy(dst, product)

    found = simulated(body, x, y, out=(32, F), dtype=nl.float32)
    assert np.allclose(found, np.einsum("krm,krn->mn", f32(x), f32(y)), rtol=1e-4, atol=1e-4)


def test_nc_transpose():
    x = random(P, 64)

    def body(dst, a):
        turned = psum(64, P)
        nisa.nc_transpose(turned, a)
        nisa.tensor_copy(dst, turned)

    assert np.array_equal(simulated(body, x, out=(64, P)), x.T)
    small = random(32, 32)
    found = simulated(lambda dst, a: nisa.nc_transpose(dst, a, engine=nisa.engine.vector), small)
    assert np.array_equal(found, small.T)


def test_dma_transpose():
    x = random(64, 32).astype(nl.bfloat16)
    assert np.array_equal(simulated(lambda dst, a: nisa.dma_transpose(dst, a), x, out=(32, 64)), x.T)
    cube = random(8, 16, 32).astype(nl.bfloat16)
    found = simulated(lambda dst, a: nisa.dma_transpose(dst, a, axes=(2, 1, 0)), cube, out=(32, 16, 8))
    assert np.array_equal(found, cube.transpose(2, 1, 0))


def test_dma_compute():
    x, y = random(P, F), random(P, F, seed=1)
    assert np.allclose(simulated(lambda dst, a, b: nisa.dma_compute(dst, [a, b], nl.add), x, y), x + y)


def test_iota_and_affine_select():
    x = random(P, P)

    def body(dst, a):
        nisa.iota(dst, [[2, P]], offset=5, channel_multiplier=100)

    found = simulated(body, x, dtype=nl.int32)
    assert np.array_equal(found, 5 + 100 * np.arange(P)[:, None] + 2 * np.arange(P))

    def lower(dst, a):
        nisa.affine_select(
            dst, [[-1, P]], channel_multiplier=1, on_true_tile=a, on_false_value=-1.0, cmp_op=nl.greater_equal
        )

    assert np.array_equal(simulated(lower, x), np.where(np.tri(P, dtype=bool), x, np.float32(-1)))


def test_range_select():
    x, low = random(P, 64), (np.arange(P, dtype=np.float32) % 40)[:, None]

    def body(dst, a, b, c):
        nisa.range_select(dst, a, nl.greater_equal, nl.less, b, c)

    positions = np.arange(64)
    inside = (positions >= low) & (positions < low + 9)
    assert np.array_equal(simulated(body, x, low, low + 9), np.where(inside, x, np.finfo(np.float32).min))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int8, np.bool_])
def test_select_reduce(kind):
    x, predicate = random(P, F), (random(P, F, seed=1) > 0).astype(kind)

    def body(dst, a, p):
        nisa.select_reduce(dst, p, a, -7.0)

    assert np.array_equal(simulated(body, x, predicate), np.where(predicate != 0, x, np.float32(-7)))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.bool_])
@pytest.mark.parametrize("reverse", [False, True])
def test_tensor_copy_predicated(kind, reverse):
    x, y, predicate = random(P, F), random(P, F, seed=1), (random(P, F, seed=2) > 0).astype(kind)

    def body(dst, a, b, p):
        nisa.tensor_copy(dst, b)
        nisa.tensor_copy_predicated(dst, a, p, reverse_pred=reverse)

    assert np.array_equal(simulated(body, x, y, predicate), np.where((predicate != 0) != reverse, x, y))


@pytest.mark.parametrize("elements", [1, 2, 8])
def test_local_gather(elements):
    x = random(32, 40 * elements)
    index = (np.random.default_rng(0).integers(0, 40, (32, 4)) * elements).astype(np.uint16)

    def body(dst, a, i):
        nisa.local_gather(dst, a, i, elements, 64)

    found = simulated(body, x, index, out=(32, 64 * elements)).reshape(32, 64, elements)
    for core in range(2):
        rows = slice(16 * core, 16 * core + 16)
        for at, start in enumerate(index[rows].flatten(order="F")):
            assert np.array_equal(found[rows, at], x[rows, start : start + elements])


def test_nc_n_gather():
    x, index = random(P, F), np.random.default_rng(0).integers(0, F, (P, 32)).astype(np.uint32)
    found = simulated(nisa.nc_n_gather, x, index, out=(P, 32))
    assert np.array_equal(found, np.take_along_axis(x, index.astype(np.int64), axis=1))


def test_nc_stream_shuffle():
    x = random(P, 16)
    order = list(np.random.default_rng(0).permutation(32))
    found = simulated(lambda dst, a: nisa.nc_stream_shuffle(dst, a, order), x)
    assert np.array_equal(found.reshape(4, 32, 16), x.reshape(4, 32, 16)[:, order])


def test_max8_and_what_finds_it():
    x = np.random.default_rng(0).permuted(np.tile(np.arange(F, dtype=np.float32), (P, 1)), axis=1)
    values = simulated(nisa.max8, x, out=(P, 8))
    assert np.array_equal(values, np.tile(np.arange(F - 1, F - 9, -1), (P, 1)))
    places = simulated(nisa.nc_find_index8, x, values, out=(P, 8), dtype=nl.uint32)
    assert np.array_equal(np.take_along_axis(x, places.astype(np.int64), axis=1), values)
    absent = simulated(nisa.nc_find_index8, x, values + 1000, out=(P, 8), dtype=nl.uint16)
    assert (absent == 0xFFFF).all()
    replaced = simulated(lambda dst, a, v: nisa.nc_match_replace8(dst, a, v, -1.0), x, values)
    assert np.array_equal(replaced, np.where(x >= F - 8, np.float32(-1), x))


def test_batch_norm_statistics():
    x = random(P, 2, 128)

    def body(dst, a):
        parts = sbuf(P, 2, 6)
        for half in range(2):
            nisa.bn_stats(parts[:, half, :], a[:, half, :])
        nisa.bn_aggr(dst, parts)

    found = simulated(body, x, out=(P, 2))
    assert np.allclose(found[:, 0], x.mean(axis=(1, 2)), atol=1e-5)
    assert np.allclose(found[:, 1], x.var(axis=(1, 2)), rtol=1e-4)


def test_sequence_bounds():
    ids = np.array([[0, 1, 1, 2, 2, 2, 0, 3]], dtype=np.float32)
    found = simulated(nisa.sequence_bounds, ids, out=(1, 2, 8))
    assert np.array_equal(found[0], [[8, 1, 1, 3, 3, 3, 8, 7], [-1, 3, 3, 6, 6, 6, -1, 8]])


def test_nonzero_with_count():
    x = (random(P, 20) > 0.5).astype(np.float32)

    def body(dst, a):
        nisa.memset(dst, 0)
        nisa.nonzero_with_count(dst, a, index_offset=3, padding_val=-1)

    found = simulated(body, x, out=(P, 21), dtype=nl.int32)
    for row in range(0, P, 16):
        places = np.flatnonzero(x[row]) + 3
        expected = np.concatenate([places, np.full(20 - len(places), -1), [len(places)]])
        assert np.array_equal(found[row], expected)


def test_memset():
    for name, value in (("float32", 1.5), ("int32", -3), ("uint8", 200), ("bfloat16", 0.5)):
        found = simulated(lambda dst, a, v=value: nisa.memset(dst, v), random(P, 8), dtype=getattr(nl, name))
        assert (f32(found) == value).all()


def test_dropout():
    x = random(P, F) + 10
    assert np.array_equal(simulated(lambda dst, a: nisa.dropout(dst, a, 0.0), x), x)
    some = simulated(lambda dst, a: nisa.dropout(dst, a, 0.5), x)
    assert 0.45 < (some == 0).mean() < 0.55
    assert np.array_equal(some, np.where(some == 0, 0, x))
    rates = np.repeat(np.array([[0.0], [1.0]], np.float32), 64, axis=0)
    rows = simulated(lambda dst, a, r: nisa.dropout(dst, a, r), x, rates)
    assert np.array_equal(rows, np.where(rates == 0, x, 0))


def test_random_numbers():
    def between(dst):
        nisa.rand2(dst, -2.0, 3.0)

    def draw(body, dtype, number):
        def run(dst, seed):
            nisa.set_rng_seed(seed)
            body(dst)

        return simulated(run, np.array([[number]], np.uint32), out=(P, F), dtype=dtype)

    for dtype, body in ((nl.float32, between), (nl.uint32, nisa.rng), (nl.uint8, nisa.rng)):
        assert np.array_equal(draw(body, dtype, 1), draw(body, dtype, 1))
        assert not np.array_equal(draw(body, dtype, 1), draw(body, dtype, 2))
    numbers = draw(between, nl.float32, 0)
    assert -2 <= numbers.min() < -1.9
    assert 2.9 < numbers.max() < 3


@pytest.mark.parametrize("skips", [False, True])
def test_rows_are_gathered(skips):
    data, index = random(100, F), (3 * np.arange(33, dtype=np.int32))[:, None]

    @nki.jit
    def kernel(data, index):
        out = nl.ndarray((33, F), dtype=data.dtype, buffer=nl.shared_hbm)
        rows, tile = sbuf(33, 1, dtype=nl.int32), sbuf(33, F)
        nisa.dma_copy(rows, index)
        nisa.memset(tile, -1.0)
        mode = nisa.oob_mode.skip if skips else nisa.oob_mode.error
        nisa.dma_copy(tile, data.ap(pattern=[[F, 33], [1, F]], vector_offset=rows, indirect_dim=0), oob_mode=mode)
        nisa.dma_copy(out, tile)
        return out

    assert np.array_equal(kernel(data, index), data[index[:, 0]])
    if skips:
        found = kernel(data, index + 10)
        inside = index[:, 0] + 10 < 100
        assert np.array_equal(found, np.where(inside[:, None], data[np.minimum(index[:, 0] + 10, 99)], np.float32(-1)))


def test_registers_and_device_loops():
    @nki.jit
    def kernel(x, count):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, limit = sbuf(*x.shape), sbuf(1, 1, dtype=nl.int32)
        nisa.dma_copy(tile, x)
        nisa.dma_copy(limit, count)
        times = nisa.register_alloc(0)
        nisa.register_load(times, limit)
        for _ in nl.dynamic_range(0, times):
            nisa.tensor_scalar(tile, tile, nl.add, 1.0)
        nisa.dma_copy(out, tile)
        return out

    x = random(P, 8)
    assert np.allclose(kernel(x, np.array([[5]], np.int32)), x + 5)


def test_microscaled_products():
    x, y = (random(P, 64) / 4).astype(nl.bfloat16), (random(P, 512, seed=1) / 4).astype(nl.bfloat16)

    def body(dst, a, b):
        parts = []
        for tile, width in ((a, 16), (b, 128)):
            packed, scale = sbuf(P, width, dtype=nl.float8_e4m3fn_x4), sbuf(P, width, dtype=nl.uint8)
            nisa.quantize_mx(packed, tile, scale)
            parts.append((packed, scale))
        (stationary, first), (moving, second) = parts
        product = psum(16, 128)
        nisa.nc_matmul_mx(product, stationary, moving, first, second)
        nisa.tensor_copy(dst, product)

    found = simulated(body, x, y, out=(16, 128), dtype=nl.float32)
    expected = np.einsum("kmi,kni->mn", f32(x).reshape(P, 16, 4), f32(y).reshape(P, 128, 4))
    assert np.abs(found - expected).max() < 0.1 * np.abs(expected).max()


def test_a_rectifier_with_a_slope():
    x = random(P, F)

    def body(dst, a):
        nisa.activate2(dst, nl.prelu, a, imm0=2.0, imm1=0.0, op0=nl.multiply, op1=nl.add, relu_param=0.25)

    assert np.allclose(simulated(body, x), np.where(x > 0, 2 * x, 0.5 * x))


def test_states_of_generators():
    """A state that is set is read again, and gives the same numbers again."""
    seeds = np.random.default_rng(0).integers(0, 2**31, (P, 6)).astype(np.uint32)

    def body(state, first, later, second, again, a):
        nisa.rand_set_state(a)
        nisa.rand_get_state(state)
        nisa.rng(first)
        nisa.rand_get_state(later)
        nisa.rng(second)
        nisa.rand_set_state(later)
        nisa.rng(again)

    state, first, later, second, again = simulated(body, seeds, results=5)
    assert np.array_equal(state, seeds)
    assert not np.array_equal(later, seeds)
    assert not np.array_equal(first, second)
    assert np.array_equal(second, again)


def test_dtypes_of_numpy():
    @nki.jit
    def kernel(a):
        tile = nl.ndarray(a.shape, dtype=np.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a)
        out = nl.ndarray(a.shape, dtype=np.dtype("int32"), buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out

    x = np.round(random(P, F) * 10)
    found = kernel(x)
    assert found.dtype == np.int32
    assert np.array_equal(found, x)


def test_broken_rules_raise_what_the_api_names():
    with pytest.raises(nisa.NkiValidationError, match="partitions"):
        simulated(lambda dst, a: sbuf(256, 4), random(P, F))
