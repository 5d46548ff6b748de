# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Found(Exception):
    def __init__(self, where):
        self.where = where

def kernel(n):
    where = -1
    try:
        for i in range(n):
            if 2 * i > n:
                raise Found(i)
    except Found as found:
        where = found.where
    assert where <= 2
