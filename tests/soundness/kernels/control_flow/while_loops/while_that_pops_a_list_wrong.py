# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [i for i in range(n)]
    count = 0
    while values:
        values.pop()
        count += 1
    assert count <= 3
