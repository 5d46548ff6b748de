# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert {False: 0, True: 1}[n > 3] == 0
