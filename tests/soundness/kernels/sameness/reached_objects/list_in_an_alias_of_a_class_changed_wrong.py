# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    held = list[[0]]
    for i in range(n):
        held.__args__[0][0] += 1
        assert held.__args__[0][0] <= 3
