# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the language-model benchmarks share: the fixed text, the tokeniser of a GGUF file, records.

The text is the help topics of the running Python (pydoc_data.topics), in order of their names, first
TEXT_CHARACTERS characters. It depends on the version of Python, so its hash travels with every figure.
"""

import hashlib
import heapq
import json
import os
import re
import statistics

TEXT_CHARACTERS = 40_000
POSITIONS = 4_000

CONTROL, USER_DEFINED, BYTE = 3, 4, 6  # kinds of token in tokenizer.ggml.token_type


def fixed_text():
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))[:TEXT_CHARACTERS]


def text_hash():
    return hashlib.sha256(fixed_text().encode()).hexdigest()[:16]


def record(metric, unit, values, **more):
    """One JSON line; several values give their median, extremes and number."""
    line = {"case": "llm", "metric": metric, "unit": unit}
    if isinstance(values, (list, tuple)):
        line.update(value=statistics.median(values), min=min(values), max=max(values), repeats=len(values))
    else:
        line["value"] = values
    line.update(more)
    for key, value in line.items():
        if isinstance(value, float):
            line[key] = float(f"{value:.5g}")
    print(json.dumps(line), flush=True)


class Others:
    """The share of the processors that other processes used since this was made; a figure beside each timing."""

    def __init__(self):
        self.begin = self._ticks()

    @staticmethod
    def _ticks():
        user, nice, system, idle, wait, irq, soft, steal = map(int, open("/proc/stat").readline().split()[1:9])
        own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
        busy = user + nice + system + irq + soft + steal
        return busy - own, busy + idle + wait

    def share(self):
        (others, total), (others_before, total_before) = self._ticks(), self.begin
        return max(0.0, round((others - others_before) / max(1, total - total_before), 3))


class Tokenizer:
    """The tokeniser that GGUF calls `llama`: SentencePiece pieces joined by score, bytes as last resort."""

    def __init__(self, reader):
        def value(key, default=None):
            field = reader.fields.get("tokenizer.ggml." + key)
            return default if field is None else field.contents()

        if value("model") != "llama":
            raise ValueError(f"tokeniser {value('model')!r} is not supported, only 'llama'")
        self.pieces, self.scores, kinds = value("tokens"), value("scores"), value("token_type")
        self.ids = {piece: i for i, piece in enumerate(self.pieces)}
        self.prefix = value("add_space_prefix", True)
        self.bos = value("bos_token_id") if value("add_bos_token", True) else None
        whole = sorted(
            (p for p, kind in zip(self.pieces, kinds, strict=True) if kind == USER_DEFINED), key=len, reverse=True
        )
        self.whole = re.compile("(" + "|".join(map(re.escape, whole)) + ")") if whole else None

    def encode(self, text):
        tokens = [] if self.bos is None else [self.bos]
        parts = self.whole.split(text) if self.whole else [text]
        for index, part in enumerate(parts):
            if index % 2:
                tokens.append(self.ids[part])
            elif part:
                part = " " + part if self.prefix and index == 0 else part
                tokens += self._join(part.replace(" ", "\u2581"))
        return tokens

    def _join(self, text):
        """Join the best-scored neighbours, leftmost first among equals, until no pair is a piece."""
        pieces = list(text)
        after = list(range(1, len(pieces))) + [-1]
        before = list(range(-1, len(pieces) - 1))
        queue = []

        def propose(left):
            right = after[left] if left >= 0 else -1
            if right >= 0 and (token := self.ids.get(pieces[left] + pieces[right])) is not None:
                heapq.heappush(queue, (-self.scores[token], left, right, pieces[left] + pieces[right]))

        for left in range(len(pieces)):
            propose(left)
        while queue:
            _, left, right, joined = heapq.heappop(queue)
            if not pieces[left] or not pieces[right] or pieces[left] + pieces[right] != joined:
                continue
            pieces[left], pieces[right] = joined, ""
            after[left] = after[right]
            if after[right] >= 0:
                before[after[right]] = left
            propose(before[left])
            propose(left)
        tokens = []
        for piece in filter(None, pieces):
            token = self.ids.get(piece)
            tokens += [token] if token is not None else [self.ids[f"<0x{b:02X}>"] for b in piece.encode()]
        return tokens
