# expect: 1 FAILED kernel.assert:9
# dims: 0..

def kernel(n, m):
    for i in range(n):
        if m > 3:
            continue
        assert m <= 3
    assert m <= 3
