# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

def held(): pass

def kernel(n, m):
    before = int(hasattr(held, 'seen'))
    i = 1
    if n > m:
        held.seen = i
        assert before == 0
    else:
        assert int(hasattr(held, 'seen')) == before
        assert int(hasattr(held, 'seen')) == 0
