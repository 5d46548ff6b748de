# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[128,C:1..512]'
"""A property that counts how often it is asked for is asked once in each part of a conjunction that is no mask."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


class Counter:
    def __init__(self):
        self.times = 0

    @property
    def asked(self):
        self.times += 1
        return self.times


@nki.jit
def kernel(x):
    counter = Counter()
    first = counter.asked < 2 and counter.asked < 3
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns = x.shape[1] + 1 if first and counter.times == 2 else x.shape[1]
    nl.store(out, nl.load(x[:, 0:columns]))
    return out
