# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import textwrap

def kernel(n):
    for i in range(n):
        assert int(hasattr(textwrap, 'seen')) == 0
        textwrap.seen = i
