# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Warnings are errors in our own code; headers of others are included as SYSTEM.
add_library(paddle_warnings INTERFACE)
target_compile_options(paddle_warnings INTERFACE -Wall -Wextra -Werror)
