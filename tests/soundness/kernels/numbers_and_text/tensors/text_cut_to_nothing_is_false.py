# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED|VACUOUS
# dims: 0..

def kernel(n):
    name = f"{n}"
    if f"{name:.0}":
        assert n == 3
