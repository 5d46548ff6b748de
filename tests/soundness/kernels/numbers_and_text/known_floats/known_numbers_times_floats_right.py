# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    sizes = (128, 36864)
    assert float(sizes[0] * sizes[1]) * 2.5 <= 32.0 * 36864 * 36864
    assert 7 / 2 == 3.5
    assert 7.5 // 2 == 3.0
    assert 7 % 2.5 == 2.0
