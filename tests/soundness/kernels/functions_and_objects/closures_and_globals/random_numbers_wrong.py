# expect: 1 FAILED|UNKNOWN
# dims: 0..

import random

def kernel(n):
    generator = random.Random(0)
    first = generator.random()
    generator = random.Random(0)
    for i in range(n):
        assert generator.random() == first
