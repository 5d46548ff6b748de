# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        try:
            if i == 2:
                raise ValueError
        except ValueError:
            kind = 1
        else:
            kind = 2
        finally:
            last = i
        assert kind == 2
