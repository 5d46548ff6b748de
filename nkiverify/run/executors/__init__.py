"""Where targets are verified: in this process, in worker processes, or on a Dask cluster, behind one interface."""
