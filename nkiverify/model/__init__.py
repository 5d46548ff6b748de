"""The model of what NKI documents: dtypes, memories, tensors, views, operations and their contracts."""
