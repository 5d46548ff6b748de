# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert 0 <= -n % 4 < 4
    assert (-n % 4 + n) % 4 == 0
