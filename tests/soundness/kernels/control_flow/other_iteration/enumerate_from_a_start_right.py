# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for position, i in enumerate(range(n), start=5):
        assert position == i + 5
