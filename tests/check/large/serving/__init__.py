"""A library of kernels as users have them: configurations, allocators, views and kernels in modules of a package."""
