"""The host arithmetic of two published kernels by itself: plain functions on integers, before and after their fixes."""


def windows_unguarded(length, chunk):
    """How many windows of `chunk` rows, overlapping by one, cover `length` rows.

    As published before nki-samples PR #126, but rounding up in integers: (a + b - 1) // b.
    """
    step = chunk - 1
    return ((length - chunk) + step - 1) // step + 1


def windows(length, chunk):
    """As `windows_unguarded`, with the guards of the fix."""
    assert chunk >= 2, "windows must be at least two rows high"
    assert length >= chunk, "there must be at least one full window"
    return windows_unguarded(length, chunk)


def pooled_shape_unguarded(height, width, pool):
    """Height and width after pooling; as published before nki-samples PR #128."""
    out_height = height // pool
    out_width = width // pool
    return out_height, out_width


def pooled_shape(height, width, pool):
    """As `pooled_shape_unguarded`, with the guard of the fix."""
    assert pool >= 1, "the pooling window must hold at least one element"
    return pooled_shape_unguarded(height, width, pool)
