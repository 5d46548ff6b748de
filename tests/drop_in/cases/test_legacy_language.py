"""Functions and indexing of the legacy language, each against NumPy, as its tests are written."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest

P, F = 128, 64


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def simulated(body, *arrays):
    """What a function of tiles gives for arrays."""

    def kernel(*tensors):
        tile = body(*(nl.load(tensor) for tensor in tensors))
        out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nl.store(out, tile)
        return out

    return nki.simulate_kernel(nki.jit(kernel), *arrays)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def erf(x):
    from math import erf as one

    return np.vectorize(one)(x)


def gelu(x):
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


FUNCTIONS = {
    "abs": np.abs,
    "arctan": np.arctan,
    "ceil": np.ceil,
    "cos": np.cos,
    "erf": erf,
    "exp": np.exp,
    "floor": np.floor,
    "gelu": gelu,
    "gelu_apprx_sigmoid": lambda x: x * sigmoid(1.702 * x),
    "gelu_apprx_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "sign": np.sign,
    "silu": lambda x: x * sigmoid(x),
    "silu_dx": lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    "sin": np.sin,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "square": np.square,
    "tanh": np.tanh,
    "tan": np.tan,
    "trunc": np.trunc,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    x = np.clip(random(P, F), -1.5, 1.5)
    assert np.allclose(simulated(getattr(nl, name), x), FUNCTIONS[name](x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["log", "sqrt", "rsqrt", "reciprocal"])
def test_functions_of_positive_numbers(name):
    x = np.abs(random(P, F)) + 0.1
    reference = {"rsqrt": lambda x: 1 / np.sqrt(x)}.get(name) or getattr(np, name)
    assert np.allclose(simulated(getattr(nl, name), x), reference(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "fmod", "mod"]
)
def test_arithmetic(name):
    x, y = np.abs(random(P, F)) + 0.5, np.abs(random(P, F, seed=1)) + 0.5
    function = getattr(nl, name)
    assert np.allclose(simulated(function, x, y), getattr(np, name)(x, y), rtol=1e-4, atol=1e-5)
    assert np.allclose(simulated(lambda a: function(a, 2.0), x), getattr(np, name)(x, 2.0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
def test_arithmetic_broadcasts(name):
    x, y = random(P, F), random(P, 1, seed=1)
    assert np.allclose(simulated(getattr(nl, name), x, y), getattr(np, name)(x, y), atol=1e-6)


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_comparisons(name):
    x, y = np.round(random(P, F)), np.round(random(P, F, seed=1))
    found = simulated(getattr(nl, name), x, y)
    assert found.dtype == np.bool_
    assert np.array_equal(found, getattr(np, name)(x, y))
    assert np.array_equal(simulated(lambda a: getattr(nl, name)(a, 0.0, dtype=nl.uint8), x), getattr(np, name)(x, 0))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logic(name):
    x, y = random(P, F) > 0, random(P, F, seed=1) > 0
    assert np.array_equal(simulated(getattr(nl, name), x, y), getattr(np, name)(x, y))


def test_logical_not():
    x = random(P, F) > 0
    assert np.array_equal(simulated(nl.logical_not, x), ~x)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.uint32])
def test_bits(name, dtype):
    numbers = np.random.default_rng(0)
    x, y = numbers.integers(0, 100, (P, F)).astype(dtype), numbers.integers(0, 7, (P, F)).astype(dtype)
    assert np.array_equal(simulated(getattr(nl, name), x, y), getattr(np, name)(x, y))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint16, np.int32])
def test_invert(dtype):
    x = np.random.default_rng(0).integers(0, 100, (P, F)).astype(dtype)
    assert np.array_equal(simulated(nl.invert, x), ~x)


@pytest.mark.parametrize("name", ["sum", "max", "min", "mean", "var", "prod"])
def test_reductions(name):
    x = random(P, F) / 4 + 1
    expected = getattr(np, name)(x, axis=1, keepdims=True)
    if name != "var":
        keeps = simulated(lambda a: getattr(nl, name)(a, axis=[1], keepdims=True), x)
        assert np.allclose(keeps, expected, rtol=1e-4)
    assert np.allclose(simulated(lambda a: getattr(nl, name)(a, axis=1), x).ravel(), expected.ravel(), rtol=1e-4)


def test_all():
    x = random(P, 3) > -0.5
    assert np.array_equal(simulated(lambda a: nl.all(a, axis=[1]), x).ravel(), x.all(axis=1))


def test_softmax():
    x = random(P, F)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert np.allclose(simulated(lambda a: nl.softmax(a, axis=1), x), expected, atol=1e-6)


def test_rms_norm():
    x, w = random(P, F), random(1, F, seed=1)

    def body(a, b):
        return nl.rms_norm(a, b.broadcast_to((P, F)), axis=1, n=F, epsilon=1e-5)

    expected = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5) * w
    assert np.allclose(simulated(body, x, w), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transposed", [False, True])
def test_matmul(transposed):
    x, y = random(P, P), random(P, F, seed=1)
    found = simulated(lambda a, b: nl.matmul(a, b, transpose_x=transposed), x, y)
    assert np.allclose(found, (x.T if transposed else x) @ y, rtol=1e-4, atol=1e-4)


def test_transpose():
    x = random(P, F)
    assert np.array_equal(simulated(nl.transpose, x), x.T)


def test_where():
    x, y = random(P, F), random(P, F, seed=1)
    assert np.array_equal(simulated(lambda a, b: nl.where(a > b, a, b), x, y), np.maximum(x, y))
    assert np.array_equal(simulated(lambda a: nl.where(nl.less(a, 0.0), a, 1.0), x), np.where(x < 0, x, 1))


def test_operators():
    x, y = np.abs(random(P, F)) + 1, np.abs(random(P, F, seed=1)) + 1
    found = simulated(lambda a, b: -(a + b) * 2.0 - a / b + 1.0 / b, x, y)
    assert np.allclose(found, -(x + y) * 2 - x / y + 1 / y, rtol=1e-4)
    k = np.arange(P * F, dtype=np.int32).reshape(P, F)
    assert np.array_equal(simulated(lambda a: ((a << 2) | 1) & 0xFF, k), ((k << 2) | 1) & 0xFF)


def test_copies_and_casts():
    x = random(P, F) * 3
    assert np.array_equal(simulated(lambda a: nl.copy(a, dtype=nl.bfloat16), x), x.astype(nl.bfloat16))
    assert np.array_equal(simulated(lambda a: a.astype(nl.float16), x), x.astype(np.float16))
    assert np.array_equal(simulated(lambda a: nl.copy(a, dtype=nl.float8_e5m2), x), x.astype(nl.float8_e5m2))


def test_broadcasts():
    x = random(1, F)
    assert np.array_equal(simulated(lambda a: nl.broadcast_to(a, shape=(P, F)), x), np.tile(x, (P, 1)))
    column = random(P, 1)
    assert np.array_equal(simulated(lambda a: nl.copy(a.broadcast_to((P, F))), column), np.tile(column, (1, F)))


def test_new_tiles():
    x = random(P, F)
    assert (simulated(nl.zeros_like, x) == 0).all()
    assert (simulated(lambda a: nl.ones((P, F), dtype=nl.bfloat16), x).astype(np.float32) == 1).all()
    assert (simulated(lambda a: nl.full((P, F), 2.5, dtype=nl.float32), x) == 2.5).all()
    assert (simulated(lambda a: nl.zeros((nl.par_dim(P), 7), nl.int32), x) == 0).all()


def test_random_numbers():
    def drawn(seed=None, dtype=nl.float32):
        def kernel(unused):
            out = nl.ndarray((P, F), dtype=dtype, buffer=nl.shared_hbm)
            if seed is not None:
                nl.random_seed(seed=seed)
            nl.store(out, nl.rand((P, F), dtype=dtype))
            return out

        return nki.simulate_kernel(nki.jit(kernel), np.zeros((1, 1), np.float32)).astype(np.float32)

    for dtype in (nl.float32, nl.bfloat16, nl.float16):
        numbers = drawn(dtype=dtype)
        assert (numbers >= 0).all()
        assert (numbers < 1).all()
        assert abs(numbers.mean() - 0.5) < 0.01
    assert np.array_equal(drawn(7), drawn(7))
    assert not np.array_equal(drawn(7), drawn(8))


def test_random_numbers_of_a_seed_in_a_tile():
    def drawn(seed):
        def body(a):
            nl.random_seed(a)
            return nl.rand((P, F))

        return simulated(body, np.array([[seed]], dtype=np.int32))

    assert np.array_equal(drawn(3), drawn(3))
    assert not np.array_equal(drawn(3), drawn(4))


def test_dropout():
    x = random(P, F) + 10
    assert np.array_equal(simulated(lambda a: nl.dropout(a, rate=0.0), x), x)
    some = simulated(lambda a: nl.dropout(a, rate=0.5), x)
    assert 0.45 < (some == 0).mean() < 0.55
    assert np.array_equal(some, np.where(some == 0, 0, x))


def test_shared_constants():
    table = random(P, F, seed=5)
    x = random(P, F)

    def body(a):
        return nl.add(a, nl.load(nl.shared_constant(table, dtype=nl.float32)))

    assert np.allclose(simulated(body, x), x + table)
    identity = simulated(lambda a: nl.copy(nl.load(nl.shared_identity_matrix(P, dtype=nl.float32))), x)
    assert np.array_equal(identity, np.eye(P))


def test_gather_flattened():
    x = random(P, 4, 16)
    index = np.random.default_rng(0).integers(0, 64, (P, 10)).astype(np.uint32)
    found = simulated(lambda a, i: nl.gather_flattened(data=a, indices=i), x, index)
    assert np.array_equal(found, np.take_along_axis(x.reshape(P, 64), index.astype(np.int64), axis=1))


def test_load_transpose2d():
    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray((F, P), dtype=a.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load_transpose2d(a[0:P, 0:F]))
        return out

    x = random(P, F)
    assert np.array_equal(kernel(x), x.T)


# --- indexing and masks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 100, 128, 200, 256, 300])
def test_masks(rows):
    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        i_p, i_f = nl.arange(P)[:, None], nl.arange(F)[None, :]
        for block in nl.affine_range((rows + P - 1) // P):
            place = block * P + i_p
            tile = nl.load(a[place, i_f], mask=(place < rows))
            nl.store(out[place, i_f], value=nl.square(tile, mask=(place < rows)), mask=(place < rows))
        return out

    x = random(rows, F)
    assert np.allclose(kernel(x), x * x)


def test_strides_of_free_axes():
    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        i_p, i_f = nl.mgrid[0:P, 0 : F // 2]
        tile = nl.load(a)
        nl.store(out[i_p, 2 * i_f], tile[i_p, i_f])
        nl.store(out[i_p, 2 * i_f + 1], tile[i_p, i_f + F // 2])
        return out

    x = random(P, F)
    expected = np.stack((x[:, : F // 2], x[:, F // 2 :]), axis=2).reshape(P, F)
    assert np.array_equal(kernel(x), expected)


def test_a_grid_is_a_key():
    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray((64, 32), dtype=a.dtype, buffer=nl.shared_hbm)
        tile = nl.load(a[nl.mgrid[0:64, 0:F]])
        nl.store(out[nl.mgrid[0:64, 0:32]], tile[nl.mgrid[0:64, 16:48]])
        return out

    x = random(P, F)
    assert np.array_equal(kernel(x), x[:64, 16:48])


def test_block_dimensions():
    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray((4, nl.par_dim(P), F), dtype=a.dtype, buffer=nl.sbuf)
        i_p, i_f = nl.mgrid[0:P, 0:F]
        for block in nl.affine_range(4):
            tiles[block, i_p, i_f] = nl.load(a[block * P + i_p, i_f])
        for block in nl.affine_range(4):
            nl.store(out[block * P + i_p, i_f], tiles[3 - block, i_p, i_f])
        return out

    x = random(4 * P, F)
    assert np.array_equal(kernel(x).reshape(4, P, F), x.reshape(4, P, F)[::-1])


def test_pooling_by_index_expressions():
    @nki.jit(mode="simulation")
    def kernel(a, size):
        rows, columns = a.shape[1] // size, a.shape[2] // size
        out = nl.ndarray((P, rows, columns), dtype=a.dtype, buffer=nl.shared_hbm)
        i = nl.mgrid[0:P, 0:rows, 0:columns, 0:size, 0:size]
        tile = nl.load(a)
        total = nl.sum(tile[i[0], size * i[1] + i[3], size * i[2] + i[4]], axis=[3, 4])
        nl.store(out, total / (size * size))
        return out

    x = random(P, 6, 8)
    assert np.allclose(kernel(x, 2), x.reshape(P, 3, 2, 4, 2).mean(axis=(2, 4)), atol=1e-6)


def by_arange(data, index):
    rows = nl.load(index)
    return nl.load(data[rows[nl.arange(F)[:, None], 0], nl.arange(F)[None, :]])


def by_arange_without_brackets(data, index):
    return nl.load(data[nl.load(index), nl.arange(F)[None, :]])


def by_mgrid(data, index):
    i_p, i_f = nl.mgrid[0:F, 0:F]
    rows = nl.load(index)
    return nl.load(data[rows[i_p, 0], i_f])


def by_mgrid_without_brackets(data, index):
    i_p, i_f = nl.mgrid[0:F, 0:F]
    tile = nl.ndarray((F, F), dtype=data.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[i_p, i_f], src=data[nl.load(index), i_f])
    return tile


def by_fields_of_mgrid(data, index):
    i = nl.mgrid[0:F, 0:F]
    rows = nl.load(index)
    return nl.load(data[rows[i.p, 0], i.x])


def by_a_copy_that_skips(data, index):
    tile = nl.ndarray((F, F), dtype=data.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=data[nl.load(index), nl.arange(F)[None, :]], oob_mode=nisa.oob_mode.skip)
    return tile


@pytest.mark.parametrize(
    "gather",
    [
        by_arange,
        by_arange_without_brackets,
        by_mgrid,
        by_mgrid_without_brackets,
        by_fields_of_mgrid,
        by_a_copy_that_skips,
    ],
)
def test_rows_are_gathered(gather):
    @nki.jit(mode="simulation")
    def kernel(data, index):
        out = nl.ndarray((F, F), dtype=data.dtype, buffer=nl.shared_hbm)
        nl.store(out, gather(data, index))
        return out

    data = random(200, F)
    index = np.random.default_rng(1).integers(0, 200, (F, 1)).astype(np.int32)
    assert np.array_equal(kernel(data, index), data[index[:, 0]])


@pytest.mark.parametrize("adds", ["", "dma_copy", "atomic_rmw"])
@pytest.mark.parametrize("grid", [False, True])
def test_rows_are_scattered(grid, adds):
    @nki.jit(mode="simulation")
    def kernel(values, index, out):
        i_p, i_f = nl.mgrid[0:F, 0:F] if grid else (nl.arange(F)[:, None], nl.arange(F)[None, :])
        rows, tile = nl.load(index), nl.load(values)
        if adds == "dma_copy":
            nisa.dma_copy(dst=out[rows, i_f], src=tile, dst_rmw_op=np.add)
        elif adds:
            nl.atomic_rmw(out[rows[i_p, 0], i_f], value=tile, op=np.add)
        else:
            nl.store(out[rows[i_p, 0], i_f], value=tile)

    values, out = random(F, F), random(200, F, seed=2)
    index = np.random.default_rng(1).permutation(200)[:F, None].astype(np.int32)
    expected = out.copy()
    expected[index[:, 0]] = values + (expected[index[:, 0]] if adds else 0)
    kernel(values, index, out)
    assert np.allclose(out, expected)


def test_rows_out_of_bounds_are_skipped():
    @nki.jit(mode="simulation")
    def kernel(data, index):
        out = nl.ndarray((F, F), dtype=data.dtype, buffer=nl.shared_hbm)
        tile = nl.full((F, F), -1.0, dtype=data.dtype)
        i_f = nl.arange(F)[None, :]
        nisa.dma_copy(dst=tile, src=data[nl.load(index), i_f], oob_mode=nisa.oob_mode.skip)
        nl.store(out, tile)
        return out

    data, index = random(100, F), (3 * np.arange(F, dtype=np.int32))[:, None]
    expected = np.full((F, F), -1, np.float32)
    expected[:34] = data[::3]
    assert np.array_equal(kernel(data, index), expected)


def test_rows_are_gathered_and_scattered_under_a_mask():
    @nki.jit(mode="simulation")
    def kernel(data, index, out):
        i_p, i_f = nl.arange(P)[:, None], nl.arange(F)[None, :]
        rows = nl.load(index)
        tile = nl.zeros((P, F), dtype=data.dtype)
        tile[...] = nl.load(data[rows[i_p, 0], i_f], mask=(i_p < 100))
        nl.store(out[rows[i_p, 0], i_f], value=2 * tile, mask=(i_p >= 20) & (i_f < 10))
        return tile_in_hbm(tile)

    def tile_in_hbm(tile):
        found = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nl.store(found, tile)
        return found

    data, out = random(300, F), random(300, F, seed=1)
    index = np.random.default_rng(0).permutation(300)[:P, None].astype(np.int32)
    gathered, scattered = data[index[:, 0]], out.copy()
    gathered[100:] = 0
    scattered[index[20:, 0], :10] = 2 * gathered[20:, :10]
    assert np.array_equal(kernel(data, index, out), gathered)
    assert np.array_equal(out, scattered)


@nki.jit(mode="simulation")
def products_of_rests(a_tensor, b_tensor):
    K, M = a_tensor.shape
    N = b_tensor.shape[1]
    total = nl.zeros((M, N), dtype=nl.float32, buffer=nl.psum)
    i_k, i_m, i_n = nl.arange(128)[:, None], nl.arange(M)[None, :], nl.arange(N)[None, :]
    for k in nl.affine_range((K + 127) // 128):
        a = nl.load(a_tensor[k * 128 + i_k, i_m], mask=(k * 128 + i_k < K))
        b = nl.load(b_tensor[k * 128 + i_k, i_n], mask=(k * 128 + i_k < K))
        total += nl.matmul(a[k * 128 + i_k < K], b[k * 128 + i_k < K], transpose_x=True)
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, total)
    return out


def test_operands_of_products_have_masks():
    x, y = random(200, 64), random(200, 96, seed=1)
    assert np.allclose(products_of_rests(x, y), x.T @ y, atol=1e-3)


@nki.jit(mode="simulation")
def rows_of_a_rest(table_tensor, index_tensor):
    rows, width = index_tensor.shape[0], table_tensor.shape[1]
    out = nl.ndarray((rows, width), dtype=table_tensor.dtype, buffer=nl.shared_hbm)
    i_p, i_1, i_f = nl.arange(128)[:, None], nl.arange(1)[None, :], nl.arange(width)[None, :]
    index = nl.load(index_tensor[i_p, i_1], mask=(i_p < rows))
    tile = nl.load(table_tensor[index[i_p, 0], i_f], mask=(i_p < rows))
    nl.store(out[i_p, i_f], value=tile, mask=(i_p < rows))
    return out


def test_rows_are_gathered_under_a_mask():
    table, index = random(200, 64), np.random.default_rng(0).permutation(200)[:100].astype(np.int32)[:, None]
    assert np.array_equal(rows_of_a_rest(table, index), table[index[:, 0]])
