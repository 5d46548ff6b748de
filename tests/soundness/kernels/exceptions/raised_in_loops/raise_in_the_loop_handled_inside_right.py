# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        try:
            if i == 3:
                raise ValueError("three")
            seen = 0
        except ValueError:
            seen = 1
        assert seen == (1 if i == 3 else 0)
