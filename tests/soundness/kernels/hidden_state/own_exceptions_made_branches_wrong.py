# expect: 1 FAILED|UNKNOWN
# dims: 0..

class E(Exception):
    pass
def kernel(n):
    made = []
    for i in range(n):
        if i == 3:
            e = E(1)
        else:
            e = E(0)
        made.append(e)
    for k in range(n):
        assert made[k].args[0] == 0
