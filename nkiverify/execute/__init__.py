"""Execution of kernels: the only place that starts kernel code."""
