# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""When a row of a sparse table is made: `sparse_embedding(..., entry=CountFilterEntry(10))`."""

__all__ = ["CountFilterEntry", "ProbabilityEntry", "ShowClickEntry"]


class CountFilterEntry:
    """A row is made when its feature has been seen often enough.

    Args:
        count_filter: How often, a non-negative int.
    """

    def __init__(self, count_filter):
        if not isinstance(count_filter, int) or count_filter < 0:
            raise ValueError(
                f"CountFilterEntry: count_filter has value {count_filter!r}; it must be an int of 0 or more."
            )
        self._count_filter = count_filter

    def _to_attr(self):
        return f"count_filter_entry:{self._count_filter}"


class ProbabilityEntry:
    """A row is made with a probability.

    Args:
        probability: A float between 0 and 1, both excluded.
    """

    def __init__(self, probability):
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError(f"ProbabilityEntry: probability has value {probability!r}; it must be a float in (0, 1).")
        self._probability = probability

    def _to_attr(self):
        return f"probability_entry:{self._probability}"


class ShowClickEntry:
    """Rows know how often their feature was shown and clicked.

    Args:
        show_name, click_name: The variables that say so.
    """

    def __init__(self, show_name, click_name):
        if not isinstance(show_name, str) or not isinstance(click_name, str):
            raise ValueError(
                f"ShowClickEntry: show_name has value {show_name!r} and click_name {click_name!r}; both must be a str."
            )
        self._show_name, self._click_name = show_name, click_name

    def _to_attr(self):
        return f"show_click_entry:{self._show_name}:{self._click_name}"
