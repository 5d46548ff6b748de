# expect: 1 FAILED|UNKNOWN
# dims: 0..

class S(str):
    pass
def kernel(n):
    made = []
    for i in range(n):
        s = S("x")
        s.number = i
        made.append(s)
    for k in range(n):
        assert made[k].number < 3
