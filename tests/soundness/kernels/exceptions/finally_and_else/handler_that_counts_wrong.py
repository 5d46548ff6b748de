# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    failures = 0
    for i in range(n):
        try:
            if i % 2 == 1:
                raise ValueError
        except ValueError:
            failures += 1
    assert failures <= 1
