# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

held = 0

def kernel(n, m):
    before = held
    i = 1
    if n > m:
        globals()['held'] = held + 1 + i
        assert before == 0
    else:
        assert held == before
        assert held == 0
