# expect: 1 FAILED|UNKNOWN
# dims: 0..

count = 0

def step():
    global count
    count += 1
    return count

def kernel(n):
    for i in range(n):
        assert step() < 3
