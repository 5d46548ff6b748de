# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    table = {3: 1}
    if n == 3:
        assert table[n] == 1
