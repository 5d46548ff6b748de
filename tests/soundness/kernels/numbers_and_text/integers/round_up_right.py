# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert (n + 127) // 128 * 128 >= n
    assert (n + 127) // 128 * 128 < n + 128
