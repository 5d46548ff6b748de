# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    def grow(by):
        nonlocal count
        count += by
    for i in range(n):
        grow(i)
        assert count >= i * i
