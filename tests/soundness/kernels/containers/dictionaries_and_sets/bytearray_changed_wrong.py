# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    data = bytearray(1)
    for i in range(n):
        assert data[0] == 0
        data[0] = 1
