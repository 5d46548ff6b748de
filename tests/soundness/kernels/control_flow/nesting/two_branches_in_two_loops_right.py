# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        if i % 2 == 0:
            width = 2
        else:
            width = 3
        assert 2 <= width <= 3
    for i in range(n):
        if i % 3 == 0:
            width = 3
        else:
            width = 4
        assert 3 <= width <= 4
