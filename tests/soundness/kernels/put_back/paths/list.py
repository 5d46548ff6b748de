# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

held = []

def kernel(n, m):
    before = len(held)
    i = 1
    if n > m:
        held.append(1)
        assert before == 0
    else:
        assert len(held) == before
        assert len(held) == 0
