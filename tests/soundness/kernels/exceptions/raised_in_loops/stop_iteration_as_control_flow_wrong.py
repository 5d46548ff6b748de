# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    try:
        for i in range(n):
            if i == 2:
                raise StopIteration
            count += 1
    except StopIteration:
        pass
    assert count == n
