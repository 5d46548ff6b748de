# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    held = StopIteration(0)
    for i in range(n):
        held.value = held.value + 1
    assert held.value < 3
