# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    total = 0
    for letter in "abc":
        total += n
    assert total == 3 * n
