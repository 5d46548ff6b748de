"""Forward functions in NumPy."""

import numpy as np


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def layer_norm(x, gamma, beta):
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    y = (x - mean) * rstd * gamma + beta
    return y, mean, rstd


def sorted_rows(x):
    return np.sort(x, axis=1)
