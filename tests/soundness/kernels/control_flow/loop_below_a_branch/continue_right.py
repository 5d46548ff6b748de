# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        if i % 2 == 0:
            continue
        assert i >= 1
