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
    for i in range(n):
        assert held() == 0
        step()
