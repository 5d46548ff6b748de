# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(s, d, p):
    assert p > 2 or s % 256 != 0 or ((p - 1) * (s // 2) + s // 2) * d <= s * d - (d >> 27)
