"""Kernels over blocks of 8 rows, and backward kernels of which it is argued that they are right for all blocks, or of
which it may not be."""

import nki.isa as nisa
import nki.language as nl

ROWS = 8


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _tile(shape, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def _by_rows(tile, column, op):
    found = _tile(tile.shape)
    nisa.tensor_scalar(dst=found, data=tile, op0=op, operand0=column)
    return found


def _product(stationary, moving):
    sums = _tile((stationary.shape[1], moving.shape[1]), nl.psum)
    nisa.nc_matmul(dst=sums, stationary=stationary, moving=moving)
    return nl.copy(sums)


def _turned(tile):
    turned = _tile((tile.shape[1], tile.shape[0]), nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return nl.copy(turned)


def _sum(tile):
    return nl.sum(tile, axis=1, keepdims=True)


def _plus(total, part):
    nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)


def _starts(x):
    return range(0, x.shape[0], ROWS)


# --- a linear layer ---------------------------------------------------------------------------------------------------


def linear(x, w):
    y = _hbm((x.shape[0], w.shape[1]))
    weights = nl.load(w)
    for start in _starts(x):
        nl.store(y[start : start + ROWS, :], _product(_turned(nl.load(x[start : start + ROWS, :])), weights))
    return y


def _linear_backward(x, w, dy, added):
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[start : start + ROWS, :], _product(_turned(above), weights))
        added(total, _product(tile, above))
    nl.store(dw, total)
    return dx, dw


def linear_backward(x, w, dy):
    return _linear_backward(x, w, dy, _plus)


def linear_backward_in_psum(x, w, dy):
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = _tile(w.shape, nl.psum)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[start : start + ROWS, :], _product(_turned(above), weights))
        nisa.nc_matmul(dst=total, stationary=tile, moving=above)
    nl.store(dw, nl.copy(total))
    return dx, dw


def linear_backward_twice(x, w, dy):
    """dw is added twice."""
    return _linear_backward(x, w, dy, lambda total, part: (_plus(total, part), _plus(total, part)))


def linear_backward_of_the_last_block(x, w, dy):
    """dw is overwritten."""
    return _linear_backward(x, w, dy, lambda total, part: nisa.tensor_copy(total, part))


def linear_backward_that_saturates(x, w, dy):
    """dw is right for two blocks, and for three: from the fourth on nothing is added."""
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    count = nl.zeros((w.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[start : start + ROWS, :], _product(_turned(above), weights))
        part = _product(tile, above)
        few = _tile((w.shape[0], 1))
        nisa.tensor_scalar(dst=few, data=count, op0=nl.less, operand0=3.0)
        _plus(total, _by_rows(part, few, nl.multiply))
        nisa.tensor_scalar(dst=count, data=count, op0=nl.add, operand0=1.0)
    nl.store(dw, total)
    return dx, dw


def linear_backward_that_stops(x, w, dy):
    """The same, by a condition."""
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[start : start + ROWS, :], _product(_turned(above), weights))
        if start < 32:
            _plus(total, _product(tile, above))
    nl.store(dw, total)
    return dx, dw


def linear_backward_of_the_first_blocks(x, w, dy):
    """dx is right in the first four blocks; the others have the gradient of the last of these."""
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        at = min(start, 24)
        nl.store(dx[start : start + ROWS, :], _product(_turned(nl.load(dy[at : at + ROWS, :])), weights))
        _plus(total, _product(tile, above))
    nl.store(dw, total)
    return dx, dw


def linear_backward_by_position(x, w, dy):
    """A mask that lets all rows below 32 through."""
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        kept = _tile(above.shape)
        nisa.affine_select(kept, [[0, above.shape[1]]], 1, above, 0.0, cmp_op=nl.less, offset=start - 32)
        nl.store(dx[start : start + ROWS, :], _product(_turned(kept), weights))
        _plus(total, _product(tile, above))
    nl.store(dw, total)
    return dx, dw


def linear_backward_divided_by_blocks(x, w, dy):
    """dw times 24 / rows: right for three blocks."""
    dx, dw = _linear_backward(x, w, dy, _plus)
    tile = nl.load(dw)
    nl.store(dw, nl.multiply(tile, 24.0 / x.shape[0]))
    return dx, dw


def linear_backward_with_its_neighbour(x, w, dy):
    """dx of a block is written with that of the block after it in the same iteration, and again in the next one."""
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights = _turned(nl.load(w))
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[0:ROWS, :], _product(_turned(above), weights))
        nl.store(dx[start : start + ROWS, :], _product(_turned(above), weights))
        nl.store(dx[0:ROWS, :], _product(_turned(nl.load(dy[0:ROWS, :])), weights))
        _plus(total, _product(tile, above))
    nl.store(dw, total)
    return dx, dw


# --- rows -------------------------------------------------------------------------------------------------------------


def softmax(x):
    y = _hbm(x.shape)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        powers = nl.exp(_by_rows(tile, nl.max(tile, axis=1, keepdims=True), nl.subtract))
        nl.store(y[start : start + ROWS, :], _by_rows(powers, nl.reciprocal(_sum(powers)), nl.multiply))
    return y


def softmax_backward(y, dy):
    dx = _hbm(y.shape)
    for start in _starts(y):
        soft, above = nl.load(y[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        away = _by_rows(above, _sum(nl.multiply(soft, above)), nl.subtract)
        nl.store(dx[start : start + ROWS, :], nl.multiply(soft, away))
    return dx


def rms_norm(x, weight):
    y = _hbm(x.shape)
    factors = _product(nl.full((1, ROWS), 1.0, dtype=nl.float32, buffer=nl.sbuf), nl.load(weight))
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        mean = nl.multiply(_sum(nl.multiply(tile, tile)), 1.0 / x.shape[1])
        normal = _by_rows(tile, nl.rsqrt(nl.add(mean, 1e-5)), nl.multiply)
        nl.store(y[start : start + ROWS, :], nl.multiply(normal, factors))
    return y


def rms_norm_backward(x, weight, dy):
    """Rows of products are summed over the blocks, and over the rows of a block at the end."""
    dx, dweight = _hbm(x.shape), _hbm(weight.shape)
    factors = _product(nl.full((1, ROWS), 1.0, dtype=nl.float32, buffer=nl.sbuf), nl.load(weight))
    total = nl.zeros((ROWS, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        scale = nl.rsqrt(nl.add(nl.multiply(_sum(nl.multiply(tile, tile)), 1.0 / x.shape[1]), 1e-5))
        normal = _by_rows(tile, scale, nl.multiply)
        inner = nl.multiply(above, factors)
        along = nl.multiply(_sum(nl.multiply(inner, normal)), 1.0 / x.shape[1])
        part = nl.subtract(inner, _by_rows(normal, along, nl.multiply))
        nl.store(dx[start : start + ROWS, :], _by_rows(part, scale, nl.multiply))
        _plus(total, nl.multiply(above, normal))
    nl.store(dweight, _product(nl.full((ROWS, 1), 1.0, dtype=nl.float32, buffer=nl.sbuf), total))
    return dx, dweight


# --- a sum of squares, and of its square ------------------------------------------------------------------------------


def _sum_of_squares(x):
    total = nl.zeros((ROWS, 1), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        _plus(total, _sum(nl.multiply(tile, tile)))
    return _product(nl.full((ROWS, 1), 1.0, dtype=nl.float32, buffer=nl.sbuf), total)


def squares(x):
    s = _hbm((1, 1))
    nl.store(s, _sum_of_squares(x))
    return s


def squares_backward(x, ds):
    dx = _hbm(x.shape)
    above = _product(nl.full((1, ROWS), 2.0, dtype=nl.float32, buffer=nl.sbuf), nl.load(ds))
    for start in _starts(x):
        nl.store(dx[start : start + ROWS, :], _by_rows(nl.load(x[start : start + ROWS, :]), above, nl.multiply))
    return dx


def square_of_squares(x):
    """A result that is no linear function of the sum."""
    s = _hbm((1, 1))
    total = _sum_of_squares(x)
    nl.store(s, nl.multiply(total, total))
    return s


def square_of_squares_backward(x, ds):
    dx = _hbm(x.shape)
    total = nl.multiply(_sum_of_squares(x), nl.load(ds))
    above = _product(nl.full((1, ROWS), 4.0, dtype=nl.float32, buffer=nl.sbuf), total)
    for start in _starts(x):
        nl.store(dx[start : start + ROWS, :], _by_rows(nl.load(x[start : start + ROWS, :]), above, nl.multiply))
    return dx


def squares_backward_with_the_sum(x, s, ds):
    """What the forward kernel makes of all blocks takes part, and cancels out."""
    dx = _hbm(x.shape)
    total, above = nl.load(s), nl.load(ds)
    above = nl.subtract(nl.add(above, total), total)
    column = _product(nl.full((1, ROWS), 2.0, dtype=nl.float32, buffer=nl.sbuf), above)
    for start in _starts(x):
        nl.store(dx[start : start + ROWS, :], _by_rows(nl.load(x[start : start + ROWS, :]), column, nl.multiply))
    return dx


# --- nothing ----------------------------------------------------------------------------------------------------------


def nothing(x):
    y = _hbm(x.shape)
    for start in _starts(x):
        nl.store(y[start : start + ROWS, :], nl.multiply(nl.load(x[start : start + ROWS, :]), 0.0))
    return y


def nothing_across(x, dy):
    dx = _hbm((x.shape[1], x.shape[0]))
    for start in _starts(x):
        nl.store(dx[:, start : start + ROWS], nl.multiply(_turned(nl.load(dy[start : start + ROWS, :])), 0.0))
    return dx


# --- what is not the same for every block -----------------------------------------------------------------------------


def running_sum(x):
    y = _hbm(x.shape)
    total = nl.zeros((ROWS, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        _plus(total, nl.load(x[start : start + ROWS, :]))
        nl.store(y[start : start + ROWS, :], total)
    return y


def greatest(x):
    y, total = _hbm((ROWS, x.shape[1])), nl.full((ROWS, x.shape[1]), -3.0e38, dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        nisa.tensor_tensor(dst=total, data1=total, data2=nl.load(x[start : start + ROWS, :]), op=nl.maximum)
    nl.store(y, total)
    return y


def doubled(x):
    y, total = _hbm((ROWS, x.shape[1])), nl.zeros((ROWS, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        _plus(total, nl.load(x[start : start + ROWS, :]))
        _plus(total, total)
    nl.store(y, total)
    return y


def in_two_ways(x):
    """Sums are added to, element by element and as products, which begin a sum in the first iteration alone."""
    y, total = _hbm((x.shape[1], x.shape[1])), _tile((x.shape[1], x.shape[1]), nl.psum)
    before = nl.zeros((x.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        _plus(before, _product(tile, tile))
    nisa.tensor_copy(dst=total, src=before)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        _plus(total, _product(tile, tile))
        nisa.nc_matmul(dst=total, stationary=tile, moving=tile)
    nl.store(y, nl.copy(total))
    return y


def shifted(x):
    y, total = _hbm((ROWS, x.shape[1])), nl.zeros((ROWS, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        nisa.tensor_tensor(dst=total[:, 1:4], data1=total[:, 0:3], data2=tile[:, 1:4], op=nl.add)
    nl.store(y, total)
    return y


def in_registers(x):
    y, total = _hbm((ROWS, 1)), _tile((ROWS, 1))
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        nisa.activation(
            _tile(tile.shape),
            nl.copy,
            tile,
            reduce_op=nl.add,
            reduce_res=_tile((ROWS, 1)),
            reduce_cmd=nisa.reduce_cmd.reduce,
        )
    nisa.memset(total, 0.0)
    nl.store(y, total)
    return y


def rounded_sum(x):
    y, total = _hbm((ROWS, x.shape[1])), nl.zeros((ROWS, x.shape[1]), dtype=nl.int32, buffer=nl.sbuf)
    for start in _starts(x):
        tile = nl.load(x[start : start + ROWS, :])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    floats = _tile(total.shape)
    nisa.tensor_copy(floats, total)
    nl.store(y, floats)
    return y


def in_one_tile(x):
    y, tile = _hbm(x.shape), _tile((ROWS, x.shape[1]))
    for start in _starts(x):
        nisa.dma_copy(dst=tile, src=x[start : start + ROWS, :])
        nl.store(y[start : start + ROWS, :], tile)
    return y


def kept_tiles(x):
    y, tiles = _hbm(x.shape), []
    for start in _starts(x):
        tiles.append(nl.load(x[start : start + ROWS, :]))
    for start in _starts(x):
        nl.store(y[start : start + ROWS, :], tiles[0])
    return y


def with_neighbours(x):
    y = _hbm((x.shape[0] - ROWS, x.shape[1]))
    for start in range(0, x.shape[0] - ROWS, ROWS):
        nl.store(y[start : start + ROWS, :], nl.load(x[start + 1 : start + 1 + ROWS, :]))
    return y


def across(x):
    y = _hbm((x.shape[1], x.shape[0]))
    for start in _starts(x):
        nl.store(y[:, start : start + ROWS], _turned(nl.load(x[start : start + ROWS, :])))
    return y


def turned_result(x):
    y = _hbm(x.shape)
    for start in _starts(x):
        nl.store(y[start : start + ROWS, :], nl.load(x[start : start + ROWS, :]))
    return y.permute((1, 0))


def on_the_device(x):
    y = _hbm(x.shape)

    def body(i):
        width = x.shape[1]
        nisa.dma_copy(dst=y.ap([[width, 1], [1, width]], scalar_offset=i), src=x.ap([[width, 1], [1, width]]))

    nl.fori_loop(0, x.shape[0], body)
    return y


def whole(x):
    y = _hbm(x.shape)
    nisa.dma_copy(dst=y, src=x)
    return y


def backwards(x):
    y = _hbm(x.shape)
    for start in _starts(x):
        at = x.shape[0] - ROWS - start
        nl.store(y[at : at + ROWS, :], nl.load(x[start : start + ROWS, :]))
    return y


def one_sum_for_another(x):
    """The second loop uses what the first one has summed."""
    y, total = _hbm(x.shape), nl.zeros((ROWS, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    for start in _starts(x):
        _plus(total, nl.load(x[start : start + ROWS, :]))
    for start in _starts(x):
        nl.store(y[start : start + ROWS, :], nl.multiply(nl.load(x[start : start + ROWS, :]), total))
    return y
