# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the processes of a job find one another: `store` holds what they tell one another at the start, `job` connects the core
with theirs."""
