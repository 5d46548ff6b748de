# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def made():
    count = 0
    def step():
        nonlocal count
        count += 1
    return step, lambda: count
step, held = made()

def kernel(n):
    before = held()
    for i in range(n):
        step()
        if i > 2: break
    assert before == 1
