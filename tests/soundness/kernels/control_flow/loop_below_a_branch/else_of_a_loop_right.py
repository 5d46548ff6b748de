# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    done = False
    for i in range(n):
        assert i < n
    else:
        done = True
    assert done
