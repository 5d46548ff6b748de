# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [i for i in range(n) if i % 2 == 0]
    assert len(values) == n
