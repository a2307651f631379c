#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Generated kernels on a GPU: RMS norm, softmax, layer norm + GELU and SwiGLU are assembled by ptxas, then launched
# through the driver's C interface, checked and timed. Ends with 2 where there is no GPU, with 1 where a value is wrong.
set -eu
cd "$(dirname "$0")/.."
PYTHONPATH="python${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-.venv/bin/python}" tools/ptx_check.py "$@"
