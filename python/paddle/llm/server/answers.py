# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of answers as OpenAI's objects: chunks of a stream, and the whole, which is put together from the same chunks."""

import time
import uuid

from ..chat import Call


def _token_bytes(tokenizer, token):
    """The bytes of a token; none where the model's output has a row for which the tokenizer has no token."""
    return tokenizer.piece_bytes(token, special=True) if token < tokenizer.vocab_size else b""


class ChatForm:
    """The objects of /v1/chat/completions.

    Args:
        call: The calls.Call.
        model: The name of the model.
        tokenizer: A Tokenizer.
        count: How many answers there will be.
    """

    kind = "chat.completion"
    prefix = "chatcmpl-"

    def __init__(self, call, model, tokenizer, count):
        self.call, self.tokenizer = call, tokenizer
        self.head = {"id": self.prefix + uuid.uuid4().hex, "created": int(time.time()), "model": model}
        self._readers = [call.reader() if call.reader else None for _ in range(count)]
        self._begun, self._calls = [False] * count, [0] * count

    def opening(self, choice):
        """The delta with which a choice of a stream begins, or None."""
        return {"role": "assistant", "content": ""}

    def parts(self, choice, piece):
        """The choices of the chunks that a piece makes: dicts."""
        reader = self._readers[choice]
        found = [piece.text] if piece.text else []
        if reader is not None:
            found = reader.add(piece.text) if piece.text else []
            found += reader.finish() if piece.finish is not None else []
        log_probs = self._log_probs(piece)
        made = []
        for item in found:
            if isinstance(item, Call):
                function = {"name": item.name, "arguments": item.arguments}
                number = self._calls[choice]
                self._calls[choice] += 1
                call = {
                    "index": number,
                    "id": "call_" + uuid.uuid4().hex[:24],
                    "type": "function",
                    "function": function,
                }
                made.append({"tool_calls": [call]})
            else:
                made.append({"content": item})
        if not made and log_probs is not None:
            made.append({"content": ""})
        finish = piece.finish
        if finish == "stop" and self._calls[choice]:
            finish = "tool_calls"
        if not made and finish is not None:
            made.append({})
        return [
            {
                "index": choice,
                "delta": delta,
                "logprobs": log_probs if i == 0 else None,
                "finish_reason": finish if i == len(made) - 1 else None,
            }
            for i, delta in enumerate(made)
        ]

    def _log_probs(self, piece):
        if self.call.logprobs is None or not piece.tokens:
            return None
        content = []
        for entry in piece.log_probs:
            best = [self._log_prob(token, value) for token, value in entry.best[: self.call.logprobs]]
            content.append({**self._log_prob(entry.token, entry.log_prob), "top_logprobs": best})
        return {"content": content, "refusal": None}

    def _log_prob(self, token, value):
        data = _token_bytes(self.tokenizer, token)
        return {"token": data.decode("utf-8", "replace"), "logprob": max(value, -9999.0), "bytes": list(data)}

    def chunk(self, choices, usage=None):
        """A chunk of a stream."""
        made = {**self.head, "object": f"{self.kind}.chunk", "choices": choices}
        return {**made, "usage": usage} if self.call.with_usage else made

    def whole(self, parts, usage):
        """The object of all parts, (a list for each choice)."""
        choices = []
        for number, of_choice in enumerate(parts):
            message = {"role": "assistant", "content": "", "refusal": None}
            log_probs = None
            calls = []
            for part in of_choice:
                message["content"] += part["delta"].get("content", "")
                calls += part["delta"].get("tool_calls", [])
                if part["logprobs"] is not None:
                    log_probs = log_probs or {"content": [], "refusal": None}
                    log_probs["content"] += part["logprobs"]["content"]
            if calls:
                message["tool_calls"] = [{k: v for k, v in call.items() if k != "index"} for call in calls]
                message["content"] = message["content"] or None
            choices.append(
                {
                    "index": number,
                    "message": message,
                    "logprobs": log_probs,
                    "finish_reason": of_choice[-1]["finish_reason"],
                }
            )
        return {**self.head, "object": self.kind, "choices": choices, "usage": usage}


class TextForm:
    """The objects of /v1/completions; arguments as for ChatForm."""

    kind = "text_completion"
    prefix = "cmpl-"

    def __init__(self, call, model, tokenizer, count):
        self.call, self.tokenizer = call, tokenizer
        self.head = {"id": self.prefix + uuid.uuid4().hex, "created": int(time.time()), "model": model}
        self._echoes = [text for text in call.echo for _ in range(call.params.n)] or [None] * count
        self._offsets = [0] * count

    def opening(self, choice):
        return None

    def parts(self, choice, piece):
        echo, self._echoes[choice] = self._echoes[choice] or "", None
        text, log_probs = echo + piece.text, self._log_probs(choice, piece)
        if not text and log_probs is None and piece.finish is None:
            return []
        return [{"index": choice, "text": text, "logprobs": log_probs, "finish_reason": piece.finish}]

    def _log_probs(self, choice, piece):
        if self.call.logprobs is None or not piece.tokens:
            return None
        made = {"tokens": [], "token_logprobs": [], "top_logprobs": [], "text_offset": []}
        for entry in piece.log_probs:
            text = self._text(entry.token)
            made["tokens"].append(text)
            made["token_logprobs"].append(max(entry.log_prob, -9999.0))
            best = {}
            for token, value in entry.best[: self.call.logprobs]:
                best.setdefault(self._text(token), max(value, -9999.0))
            made["top_logprobs"].append(best)
            made["text_offset"].append(self._offsets[choice])
            self._offsets[choice] += len(text)
        return made

    def _text(self, token):
        return _token_bytes(self.tokenizer, token).decode("utf-8", "replace")

    def chunk(self, choices, usage=None):
        made = {**self.head, "object": self.kind, "choices": choices}
        return {**made, "usage": usage} if self.call.with_usage else made

    def whole(self, parts, usage):
        choices = []
        for number, of_choice in enumerate(parts):
            log_probs = None
            for part in of_choice:
                if part["logprobs"] is not None:
                    log_probs = log_probs or {key: [] for key in part["logprobs"]}
                    for key, values in part["logprobs"].items():
                        log_probs[key] += values
            choices.append(
                {
                    "index": number,
                    "text": "".join(part["text"] for part in of_choice),
                    "logprobs": log_probs,
                    "finish_reason": of_choice[-1]["finish_reason"],
                }
            )
        return {**self.head, "object": self.kind, "choices": choices, "usage": usage}
