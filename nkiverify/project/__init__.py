"""A user's repository: settings, manifest, selection, discovery of kernels."""
