"""Annotations of kernel parameters. Shapes come from the domain; annotations are not read."""

from __future__ import annotations

from typing import Any


class _TensorAnnotation:
    """`nt.tensor` and `nt.mutable_tensor`, with or without a shape in brackets."""

    def __getitem__(self, shape: Any) -> _TensorAnnotation:
        return self


tensor = _TensorAnnotation()
mutable_tensor = _TensorAnnotation()
