# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def made():
    count = 0
    return lambda: count
held = made()

def kernel(n):
    before = held()
    for i in range(n):
        held.__closure__[0].cell_contents = 1
        if i > 2: break
    assert before == 1
