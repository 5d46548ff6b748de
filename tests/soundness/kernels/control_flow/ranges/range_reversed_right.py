# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in reversed(range(n)):
        assert i == n - 1 - count
        count += 1
