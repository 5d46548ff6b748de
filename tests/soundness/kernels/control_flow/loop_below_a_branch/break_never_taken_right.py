# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        if i > n:
            break
        count += 1
    assert count == n
