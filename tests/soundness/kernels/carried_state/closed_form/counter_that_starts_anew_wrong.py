# expect: 1 FAILED kernel.assert:9
# dims: 0..

def kernel(n, m):
    for i in range(n):
        count = 0
        for j in range(m):
            count += 1
        assert count <= 3
