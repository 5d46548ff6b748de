"""The shape program: what running a kernel over symbolic shapes records, and what engines decide."""
