# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a, b = 0, 1
    def swap():
        nonlocal a, b
        a, b = b, a
    for i in range(n):
        assert a == 0
        swap()
