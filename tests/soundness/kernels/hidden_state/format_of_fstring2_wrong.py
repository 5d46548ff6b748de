# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert '{x}'.format(x=f'{n}') != "3"
