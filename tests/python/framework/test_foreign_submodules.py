# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Submodules of other packages that programs use after `import paddle` without importing them."""

import importlib.util
import subprocess
import sys

import pytest

AFTER = """
import concurrent, importlib, logging, paddle, urllib
import http
assert importlib.metadata.distribution
assert urllib.request.Request
assert concurrent.futures.ThreadPoolExecutor
assert logging.handlers.RotatingFileHandler
assert http.client.HTTPException
assert not hasattr(http, "no_such_module")
"""


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_submodules_come_with_the_package():
    run(AFTER)


@pytest.mark.skipif(importlib.util.find_spec("PIL") is None, reason="needs Pillow")
@pytest.mark.parametrize("order", ["paddle, PIL", "PIL, paddle"])
def test_images_need_no_import_of_their_own(order):
    run(f"import {order}; assert PIL.Image.new and PIL.ImageEnhance.Color")


def test_none_is_loaded_before_it_is_asked_for():
    run("import paddle, sys; assert 'importlib.metadata' not in sys.modules and 'PIL' not in sys.modules")
