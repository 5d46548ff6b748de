# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    def step():
        nonlocal count
        count += 1
    for i in range(n):
        assert count < 3
        step()
