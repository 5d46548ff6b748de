"""The effects of a program on the elements of its tensors: sets, marks, values, lifetimes."""
