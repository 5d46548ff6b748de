# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        assert not values
        values.append(i)
