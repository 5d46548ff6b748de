# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    for i in range(n):
        for j in range(i):
            for k in range(j):
                assert k < 2
