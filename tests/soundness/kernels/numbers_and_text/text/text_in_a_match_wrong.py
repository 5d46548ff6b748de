# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    match str(n):
        case "3":
            kind = 1
        case _:
            kind = 2
    assert kind == 2
