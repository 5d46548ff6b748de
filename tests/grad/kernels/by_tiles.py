"""Kernels over tiles of 4 rows and 4 columns, whose numbers are several dimensions, and backward kernels of which it is
argued that they are right for all numbers of tiles, or of which it may not be."""

import nki.isa as nisa
import nki.language as nl

SIZE = 4


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _tile(shape, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def _turned(tile):
    turned = _tile((tile.shape[1], tile.shape[0]), nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return nl.copy(turned)


def _at(tensor, i, j):
    return tensor[i * SIZE : (i + 1) * SIZE, j * SIZE : (j + 1) * SIZE]


def _tiles(tensor, axis):
    return range(tensor.shape[axis] // SIZE)


# --- a product --------------------------------------------------------------------------------------------------------


def product(x, w):
    y = _hbm((x.shape[0], w.shape[1]))
    for i in _tiles(x, 0):
        for j in _tiles(w, 1):
            sums = _tile((SIZE, SIZE), nl.psum)
            for k in _tiles(x, 1):
                nisa.nc_matmul(dst=sums, stationary=_turned(nl.load(_at(x, i, k))), moving=nl.load(_at(w, k, j)))
            nl.store(_at(y, i, j), nl.copy(sums))
    return y


def _product_backward(x, w, dy, tiles_of_dx):
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    for k in _tiles(x, 1):
        for i in tiles_of_dx(x, k):
            sums = _tile((SIZE, SIZE), nl.psum)
            for j in _tiles(w, 1):
                above, weights = nl.load(_at(dy, i, j)), nl.load(_at(w, k, j))
                nisa.nc_matmul(dst=sums, stationary=_turned(above), moving=_turned(weights))
            nl.store(_at(dx, i, k), nl.copy(sums))
        for j in _tiles(w, 1):
            total = nl.zeros((SIZE, SIZE), dtype=nl.float32, buffer=nl.sbuf)
            for i in _tiles(x, 0):
                part = _tile((SIZE, SIZE), nl.psum)
                nisa.nc_matmul(dst=part, stationary=nl.load(_at(x, i, k)), moving=nl.load(_at(dy, i, j)))
                nisa.tensor_tensor(dst=total, data1=total, data2=nl.copy(part), op=nl.add)
            nl.store(_at(dw, k, j), total)
    return dx, dw


def product_backward(x, w, dy):
    return _product_backward(x, w, dy, lambda x, k: _tiles(x, 0))


def product_backward_of_a_triangle(x, w, dy):
    """Tiles of dx in the first rows are not written for the last columns, where there are more than 8."""
    return _product_backward(x, w, dy, lambda x, k: range(max(0, k - 8), x.shape[0] // SIZE))


def product_backward_with_a_size(x, w, dy):
    """Right where there are as many rows as columns, or so many that a shape in the tests has."""
    dx, dw = _product_backward(x, w, dy, lambda x, k: _tiles(x, 0))
    for k in _tiles(w, 0):
        for j in _tiles(w, 1):
            nl.store(_at(dw, k, j), nl.multiply(nl.load(_at(dw, k, j)), x.shape[0] / x.shape[0]))
            nl.store(_at(dw, k, j), nl.multiply(nl.load(_at(dw, k, j)), min(x.shape[0], 20) / min(x.shape[0], 40)))
    return dx, dw


# --- squares of the elements ------------------------------------------------------------------------------------------


def squares(x):
    y = _hbm(x.shape)
    for i in _tiles(x, 0):
        for j in _tiles(x, 1):
            tile = nl.load(_at(x, i, j))
            nl.store(_at(y, i, j), nl.multiply(tile, tile))
    return y


def _squares_backward(x, dy, columns):
    dx = _hbm(x.shape)
    for i in _tiles(x, 0):
        for j in columns(i):
            nl.store(_at(dx, i, j), nl.multiply(nl.multiply(nl.load(_at(x, i, j)), nl.load(_at(dy, i, j))), 2.0))
    return dx


def squares_backward(x, dy):
    return _squares_backward(x, dy, lambda i: _tiles(x, 1))


def squares_backward_together(x, dy):
    """Rows and columns of which an assertion says something together: not all numbers go with all."""
    assert x.shape[0] <= 2 * x.shape[1]
    return _squares_backward(x, dy, lambda i: _tiles(x, 1))


def squares_backward_in_one_loop(x, dy):
    dx = _hbm(x.shape)
    columns = x.shape[1] // SIZE
    for both in range(x.shape[0] // SIZE * columns):
        i, j = both // columns, both % columns
        nl.store(_at(dx, i, j), nl.multiply(nl.multiply(nl.load(_at(x, i, j)), nl.load(_at(dy, i, j))), 2.0))
    return dx


def squares_backward_above_the_diagonal(x, dy):
    """Only from the diagonal on, ten tiles to the left of it."""
    return _squares_backward(x, dy, lambda i: range(max(0, i - 10), x.shape[1] // SIZE))


def squares_backward_with_more(x, dy):
    """A column too many is stored, and overwritten by the next tile."""
    dx = _hbm((x.shape[0], x.shape[1] + 1))
    for i in _tiles(x, 0):
        for j in _tiles(x, 1):
            wide = dx[i * SIZE : (i + 1) * SIZE, j * SIZE : (j + 1) * SIZE + 1]
            nl.store(wide, nl.zeros((SIZE, SIZE + 1), dtype=nl.float32, buffer=nl.sbuf))
    return dx


def squares_backward_of_the_first(x, dy):
    """All tiles have the values of the first one, which a list keeps."""
    dx, tiles = _hbm(x.shape), []
    for i in _tiles(x, 0):
        for j in _tiles(x, 1):
            tiles.append(nl.load(_at(x, i, j)))
            nl.store(_at(dx, i, j), nl.multiply(nl.multiply(tiles[0], nl.load(_at(dy, i, j))), 2.0))
    return dx


def squares_backward_of_the_row(x, dy):
    """All tiles of a row have the values of the first one, which a list keeps."""
    dx = _hbm(x.shape)
    for i in _tiles(x, 0):
        tiles = []
        for j in _tiles(x, 1):
            tiles.append(nl.load(_at(x, i, j)))
            nl.store(_at(dx, i, j), nl.multiply(nl.multiply(tiles[0], nl.load(_at(dy, i, j))), 2.0))
    return dx


def sums_so_far(x):
    """Of each column of tiles the sum over it and those before it."""
    y = _hbm((SIZE, x.shape[1]))
    total = nl.zeros((SIZE, SIZE), dtype=nl.float32, buffer=nl.sbuf)
    for j in _tiles(x, 1):
        for i in _tiles(x, 0):
            nisa.tensor_tensor(dst=total, data1=total, data2=nl.load(_at(x, i, j)), op=nl.add)
        nl.store(_at(y, 0, j), total)
    return y


def products_of_sums(x):
    """Sums over the rows, multiplied over the columns, of the sum before it."""
    y, before = _hbm((SIZE, SIZE)), nl.full((SIZE, SIZE), 1.0, dtype=nl.float32, buffer=nl.sbuf)
    total = nl.zeros((SIZE, SIZE), dtype=nl.float32, buffer=nl.sbuf)
    for j in _tiles(x, 1):
        nisa.tensor_tensor(dst=before, data1=before, data2=total, op=nl.multiply)
        for i in _tiles(x, 0):
            nisa.tensor_tensor(dst=total, data1=total, data2=nl.load(_at(x, i, j)), op=nl.add)
    nl.store(y, before)
    return y


def on_the_diagonal(x):
    y = _hbm((SIZE, SIZE))
    total = nl.zeros((SIZE, SIZE), dtype=nl.float32, buffer=nl.sbuf)
    for i in _tiles(x, 0):
        nisa.tensor_tensor(dst=total, data1=total, data2=nl.load(_at(x, i, i)), op=nl.add)
    nl.store(y, total)
    return y


# --- batches ----------------------------------------------------------------------------------------------------------


def softmax(x):
    y = _hbm(x.shape)
    for batch in range(x.shape[0]):
        for i in _tiles(x, 1):
            powers = nl.exp(nl.load(x[batch, i * SIZE : (i + 1) * SIZE, :]))
            ones = _tile(powers.shape)
            nisa.tensor_scalar(ones, powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True)))
            nl.store(y[batch, i * SIZE : (i + 1) * SIZE, :], ones)
    return y


def softmax_backward(y, dy):
    dx = _hbm(y.shape)
    for i in _tiles(y, 1):
        for batch in range(y.shape[0]):
            rows = slice(i * SIZE, (i + 1) * SIZE)
            soft, above = nl.load(y[batch, rows, :]), nl.load(dy[batch, rows, :])
            away = _tile(above.shape)
            along = nl.sum(nl.multiply(soft, above), axis=1, keepdims=True)
            nisa.tensor_scalar(away, above, nl.subtract, along)
            nl.store(dx[batch, rows, :], nl.multiply(soft, away))
    return dx
