# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

count = 0

def kernel(n):
    global count
    for i in range(n):
        assert count == i
        count += 1
    assert count == n
