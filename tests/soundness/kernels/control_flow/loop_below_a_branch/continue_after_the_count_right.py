# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        count += 1
        if i == 2:
            continue
        assert count != 3
    assert count == n
