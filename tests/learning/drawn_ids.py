"""Ids of entries that come out the same when a course is run again.

Which of two machines' entries of one moment is replayed first, their ids decide; where chance gave them, the same
course would end in another state, and Hypothesis could neither shrink nor repeat what it found.
"""

from __future__ import annotations

import random
from unittest.mock import patch

from hypothesis import strategies as st

from quizbank.learning.entry import new_id

seeds = st.integers(0, 2**32 - 1)


class DrawnIds:
    """From ``start`` to ``stop`` the logs give ids of this seed, each once."""

    def __init__(self, seed: int) -> None:
        drawn = random.Random(seed)
        self._patch = patch("quizbank.learning.log.new_id", lambda at_ms: new_id(at_ms, drawn.randbytes))
        self.start, self.stop = self._patch.start, self._patch.stop
