# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def held(): return 0

def kernel(n):
    before = len('held') - len(held.__name__)
    for i in range(n):
        held.__name__ = 'h'
        if i > 2: break
    assert before == 1
