# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams, and memory that the work of several streams uses: what streams.cc finds."""

import pytest

from tests.device.lagging import library

pytestmark = pytest.mark.threads


@pytest.mark.parametrize(
    "check",
    [
        "memory_waits_for_recorded_streams",
        "calls_run_on_the_current_stream",
        "current_streams_belong_to_threads",
        "memset_and_properties",
        "types_have_names_and_kernels_of_their_own",
        "events_come_from_a_pool",
        "arenas_wait_for_recorded_streams",
    ],
)
def test_contract(check):
    assert getattr(library(), f"lagging_{check}")() == 1
