# expect: 1 FAILED|UNKNOWN
# dims: 0..

def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
    def read():
        return count
    return step, read

def kernel(n):
    step, read = counter()
    for i in range(n):
        step()
    assert read() < 3
