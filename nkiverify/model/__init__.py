"""What NKI documents: dtypes, memories, tensors, views, operations and their contracts."""
