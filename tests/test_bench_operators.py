# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/operators has a row for every operator of the case table."""

from tests.bench.operators import all_rows
from tests.op_cases import all_cases


def test_every_operator_of_the_case_table_has_a_row_of_the_speed_page():
    missing = {case.op for case in all_cases()} - {row.op for row in all_rows()}
    assert not missing, f"add a row to tests/bench/operators for {', '.join(sorted(missing))}"


def test_no_row_names_an_operator_that_does_not_exist():
    unknown = {row.op for row in all_rows()} - {case.op for case in all_cases()}
    assert not unknown, f"not in the case table: {', '.join(sorted(unknown))}"


def test_names_of_rows_are_unique():
    names = [row.name for row in all_rows()]
    assert len(names) == len(set(names))
