# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    count = 0
    def step():
        nonlocal count
        count += 1
    for i in range(n):
        assert count == i
        step()
    assert count == n
