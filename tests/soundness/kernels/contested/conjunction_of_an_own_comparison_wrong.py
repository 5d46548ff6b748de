# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[128,C:1..512]'
"""A comparison, and a subscript, that count how often they are asked for are asked once in a conjunction."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


class Counter:
    def __init__(self):
        self.times = 0

    def __lt__(self, other):
        self.times += 1
        return True

    def __getitem__(self, key):
        self.times += 1
        return 0


@nki.jit
def kernel(x):
    counter = Counter()
    first = counter < 2 and counter[0] < 3
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns = x.shape[1] + 1 if first and counter.times == 2 else x.shape[1]
    nl.store(out, nl.load(x[:, 0:columns]))
    return out
