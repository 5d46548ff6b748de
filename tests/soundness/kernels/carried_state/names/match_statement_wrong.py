# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = 0
    for i in range(n):
        match state:
            case 0:
                state = 1
            case 1:
                state = 2
            case _:
                assert False
