"""When a tensor is live, and how many bytes of a partition it takes then."""
