# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [3]
    for i in range(n):
        assert len(values) == 1
        values.clear()
