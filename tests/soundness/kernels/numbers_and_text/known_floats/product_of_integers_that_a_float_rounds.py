# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    if n == 3:
        assert float(n) * 9007199254740993 != float(n) * 9007199254740992
