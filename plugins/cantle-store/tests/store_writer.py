"""One of several writers: `python store_writer.py URL SEED EDITS` edits the same documents as the others."""

from __future__ import annotations

import sys

import store_edits

from cantle_store import Store

with Store(sys.argv[1]) as store:
    sys.stdin.read(1)  # until all are there
    for number in range(int(sys.argv[3])):
        store_edits.do(store, store_edits.edit(int(sys.argv[2]), number), store_edits.Counting())
