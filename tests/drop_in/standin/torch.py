"""The part of PyTorch that the simulator and tests written for it use, on NumPy: torch itself needs gigabytes of CUDA.

As in torch, tensors of bfloat16 and float8 do not become arrays but by their bits.
"""

import ml_dtypes
import numpy as np


class dtype:
    def __init__(self, name, kind):
        self.name, self.kind = name, np.dtype(kind)

    def __repr__(self):
        return f"torch.{self.name}"


float32, float16 = dtype("float32", np.float32), dtype("float16", np.float16)
int8, int16, int32, uint8 = (dtype(name, name) for name in ("int8", "int16", "int32", "uint8"))
int64, bool = dtype("int64", np.int64), dtype("bool", np.bool_)
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16)
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2)
_DTYPES = {one.kind: one for one in (float32, float16, int8, int16, int32, int64, uint8, bool, bfloat16, float8_e5m2)}


class Tensor:
    def __init__(self, held):
        self.held = held

    @property
    def dtype(self):
        return _DTYPES[self.held.dtype]

    @property
    def shape(self):
        return self.held.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        if self.held.dtype.isbuiltin != 1:
            raise TypeError(f"Got unsupported ScalarType {self.dtype.name}")
        return self.held

    def view(self, kind):
        return Tensor(self.held.view(kind.kind))

    def to(self, kind):
        return Tensor(self.held.astype(kind.kind))

    def float(self):
        return self.to(float32)

    def reshape(self, *shape):
        return Tensor(self.held.reshape(shape))


def from_numpy(array):
    if array.dtype.isbuiltin != 1:
        raise TypeError(f"can't convert np.ndarray of type {array.dtype}")
    return Tensor(array)


def arange(count):
    return Tensor(np.arange(count))


def zeros(*shape, dtype=float32):
    return Tensor(np.zeros(shape, dtype.kind))


def equal(one, other):
    return np.array_equal(one.held, other.held)
