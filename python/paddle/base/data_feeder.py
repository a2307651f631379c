# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.data_feeder`: checks of arguments under their older path."""

from ..framework.data_checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype

__all__ = ["check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype"]
