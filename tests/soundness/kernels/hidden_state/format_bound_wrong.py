# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    fmt = '{}'.format
    assert fmt(f'{n}') != "3"
