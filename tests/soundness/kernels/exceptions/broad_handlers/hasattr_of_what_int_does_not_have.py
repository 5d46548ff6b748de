# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert not hasattr(n, "monomials")
    assert not hasattr(n, "constant")
