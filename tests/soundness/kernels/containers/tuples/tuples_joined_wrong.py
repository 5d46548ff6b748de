# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    kept = tuple([i for i in range(n)]) + (5,)
    assert len(kept) == n + 1
    assert kept[n] == 5
    assert kept[0] == 0
