# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

def made():
    count = 0
    return lambda: count
held = made()

def kernel(n, m):
    before = held()
    i = 1
    if n > m:
        held.__closure__[0].cell_contents = 1
        assert before == 0
    else:
        assert held() == before
        assert held() == 0
