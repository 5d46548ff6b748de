# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    found = -1
    try:
        for i in range(n):
            if i == 3:
                raise ValueError("three")
    except ValueError:
        found = 3
    assert found == 3 or n <= 3
