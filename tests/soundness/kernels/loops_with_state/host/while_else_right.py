# expect: 1 SUCCESSFUL
# dims: 0..
"""The branch is run where the loop ends by its test."""
def kernel(n):
    i = 0
    done = 0
    while i < n:
        x = [i]
        i += 1
    else:
        done = 1
    assert done == 1
