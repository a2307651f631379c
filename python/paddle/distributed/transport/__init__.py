# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What moves bytes between the processes of a job: `store` holds what they tell one another at the start, `links`
connects each pair, `process_group` makes collectives of links, `job` opens and closes them."""
