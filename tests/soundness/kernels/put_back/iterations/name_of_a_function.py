# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def held(): return 0

def kernel(n):
    for i in range(n):
        assert len('held') - len(held.__name__) == 0
        held.__name__ = 'h'
