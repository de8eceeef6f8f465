"""What holds for all tests. They run in as many processes as there are processors: each has one thread for matrices."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is loaded, which is later
