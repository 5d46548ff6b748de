# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The class counts its records."""
class S:
    made = 0

    def __init__(self, a):
        self.a = a
        S.made += 1


def kernel(n):
    s = S(0)
    for i in range(n):
        s = S(s.a + 1)
    assert S.made != 4
