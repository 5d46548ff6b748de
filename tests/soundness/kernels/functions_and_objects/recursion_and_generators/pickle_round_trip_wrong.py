# expect: 1 FAILED|UNKNOWN
# dims: 0..

import pickle

def kernel(n):
    assert pickle.loads(pickle.dumps(n)) < 3
