# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    match n:
        case x if x > 3:
            assert n > 3
        case _:
            assert n <= 3
