"""Where targets are verified: executors and sweeps."""
