# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def held(): return 0
def other(): return 1

def kernel(n):
    for i in range(n):
        assert held() == 0
        held.__code__ = other.__code__
