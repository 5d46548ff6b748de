# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert '{:>4}'.format(f'{n}') != "   3"
