# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

def made():
    count = 0
    def step():
        nonlocal count
        count += 1
    return step, lambda: count
step, held = made()

def kernel(n, m):
    before = held()
    i = 1
    if n > m:
        step()
        assert before == 0
    else:
        assert held() == before
        assert held() == 0
