# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    text = "%s"
    text %= n
    assert text != "3"
