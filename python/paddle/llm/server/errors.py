# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the interface, in OpenAI's form."""

import json


class APIError(Exception):
    """An answer that says what is wrong.

    Args:
        status: The HTTP status.
        message: What is wrong and what to do.
        param: The field of the request that is meant.
        code: A short name for programs.
        kind: OpenAI's "type"; by default from the status.
        headers: More headers of the answer, a dict.
    """

    def __init__(self, status, message, param=None, code=None, kind=None, headers=None):
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code
        self.kind = kind or ("invalid_request_error" if status < 500 and status != 429 else "server_error")
        if kind is None and status == 429:
            self.kind = "rate_limit_error"
        self.headers = dict(headers or {})

    def content(self):
        """The object that goes out."""
        return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}}

    def body(self):
        """Its bytes."""
        return json.dumps(self.content()).encode()


def bad(message, param=None, code=None):
    """The APIError of status 400."""
    return APIError(400, message, param, code)
