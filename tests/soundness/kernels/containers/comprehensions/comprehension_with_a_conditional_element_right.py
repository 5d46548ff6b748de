# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [0 if i < 3 else 1 for i in range(n)]
    for i in range(n):
        assert values[i] <= 1
