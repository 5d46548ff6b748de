# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def held(): return 0
def other(): return 1

def kernel(n):
    before = held()
    for i in range(n):
        held.__code__ = other.__code__
        if i > 2: break
    assert before == 1
