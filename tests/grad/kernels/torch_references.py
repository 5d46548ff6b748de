"""Forward functions in PyTorch."""

import torch
from torch.nn import functional


def softmax(x):
    return functional.softmax(x, dim=-1)


def layer_norm(x, gamma, beta):
    mean = x.mean(dim=-1, keepdim=True)
    rstd = torch.rsqrt(x.var(dim=-1, keepdim=True, unbiased=False) + 1e-5)
    y = functional.layer_norm(x, x.shape[-1:], gamma[0], beta[0], 1e-5)
    return y, mean, rstd
