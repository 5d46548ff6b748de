# expect: 1 FAILED|UNKNOWN
# dims: 0..

class S(str):
    pass
def kernel(n):
    made = []
    for i in range(n):
        s = S("x")
        if i == 3:
            s.number = 1
        else:
            s.number = 0
        made.append(s)
    for k in range(n):
        assert made[k].number == 0
