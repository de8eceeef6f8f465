"""Syncs documents until it is killed: `python store_killed.py URL SEED`, then one number of an edit a line.

Each line forks a process that opens the store and does the edits from that number on; it says `at N` before and `did N`
after each. `dead` follows when it has been killed.
"""

from __future__ import annotations

import os
import sys

import store_edits

import cantle_store.database.sqlite
import cantle_store.store


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    url, seed = sys.argv[1], int(sys.argv[2])
    say("ready")
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            number = int(line)
            store = cantle_store.store.Store(url)
            while True:
                say(f"at {number}")
                store_edits.do(store, store_edits.edit(seed, number), store_edits.Counting())
                say(f"did {number}")
                number += 1
        say(f"pid {pid}")
        os.waitpid(pid, 0)
        say("dead")


main()
