# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        try:
            if i == 2:
                raise ValueError(i)
        except ValueError as error:
            raise RuntimeError("again") from error
