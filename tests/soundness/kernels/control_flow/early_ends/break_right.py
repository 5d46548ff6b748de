# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    found = 0
    for i in range(n):
        if i == 3:
            break
        found = i
    assert found <= 2
