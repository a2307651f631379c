# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the server and the engine have done, in the text form of Prometheus (version 0.0.4)."""

import bisect

FIRST_TOKEN_BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
NEXT_TOKEN_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
PREFIX = "paddle_llm_"
# key of Engine.stats() -> (name, kind, what it is)
_OF_ENGINE = {
    "waiting": ("requests_waiting", "gauge", "Requests in the queue."),
    "running": ("requests_running", "gauge", "Requests that are being answered."),
    "requests": ("engine_requests_total", "counter", "Requests that the engine has taken."),
    "prompt_tokens": ("prompt_tokens_total", "counter", "Tokens of prompts."),
    "generated_tokens": ("generated_tokens_total", "counter", "Tokens of answers."),
    "cached_prompt_tokens": ("cached_prompt_tokens_total", "counter", "Tokens of prompts that the cache already had."),
    "steps": ("steps_total", "counter", "Steps of the engine."),
    "step_seconds": ("step_seconds_total", "counter", "Seconds of these steps."),
    "preemptions": ("preemptions_total", "counter", "Requests that had to give their cache back and begin anew."),
    "cache_blocks": ("cache_blocks", "gauge", "Blocks of the cache."),
    "cache_blocks_used": ("cache_blocks_used", "gauge", "Blocks that hold something."),
    "cache_blocks_shared": ("cache_blocks_shared", "gauge", "Blocks that several requests use."),
    "weight_bytes": ("weight_bytes", "gauge", "Bytes of weights that a step reads."),
}


class Histogram:
    """Counts of values by upper bounds.

    Args:
        bounds: Numbers that rise.
    """

    def __init__(self, bounds):
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, value, count=1):
        """Adds a value so many times."""
        self.counts[bisect.bisect_left(self.bounds, value)] += count
        self.sum += value * count

    def lines(self, name, about):
        """Its lines of text."""
        yield f"# HELP {name} {about}"
        yield f"# TYPE {name} histogram"
        total = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self.sum:.9g}"
        yield f"{name}_count {total}"


class Metrics:
    """Figures of a server. All methods are called on the event loop's thread.

    Args:
        bandwidth: Bytes a second that the memory can deliver; None: not known (yet).
    """

    def __init__(self, bandwidth=None):
        self.bandwidth = bandwidth
        self.first_token, self.next_token = Histogram(FIRST_TOKEN_BOUNDS), Histogram(NEXT_TOKEN_BOUNDS)
        self._answers = {}

    def tokens_came(self, seconds, count, is_first):
        """Tokens of an answer came so long after the ones before them, or after the request."""
        if is_first:
            self.first_token.add(seconds)
            count -= 1
            seconds = 0.0  # they came together
        if count:
            self.next_token.add(seconds / count, count)

    def answered(self, path, status):
        """A request was answered."""
        self._answers[path, status] = self._answers.get((path, status), 0) + 1

    def text(self, stats, connections):
        """The whole text; `stats` as of Engine.stats(), `connections` a number."""
        lines = []

        def one(name, kind, about, value):
            lines.extend(
                (f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} {kind}", f"{PREFIX}{name} {value:.15g}")
            )

        for key, (name, kind, about) in _OF_ENGINE.items():
            if key in stats:
                one(name, kind, about, stats[key])
        if stats.get("cache_blocks"):
            share = stats["cache_blocks_used"] / stats["cache_blocks"]
            one("cache_usage_ratio", "gauge", "Share of the cache's blocks that hold something.", share)
        if stats.get("prompt_tokens"):
            share = stats["cached_prompt_tokens"] / stats["prompt_tokens"]
            one("prefix_hit_ratio", "gauge", "Share of the prompts' tokens that the cache already had.", share)
        if self.bandwidth:
            one("memory_bandwidth_bytes", "gauge", "Bytes a second that the memory delivers.", self.bandwidth)
            if stats.get("step_seconds"):
                share = stats["weight_bytes"] * stats["steps"] / stats["step_seconds"] / self.bandwidth
                about = "Share of the bound that reading all weights once a step sets."
                one("memory_bound_ratio", "gauge", about, share)
        one("connections", "gauge", "Open connections.", connections)
        lines.append(f"# HELP {PREFIX}http_requests_total Requests by path and status.")
        lines.append(f"# TYPE {PREFIX}http_requests_total counter")
        for (path, status), count in sorted(self._answers.items()):
            lines.append(f'{PREFIX}http_requests_total{{path="{path}",status="{status}"}} {count}')
        lines += self.first_token.lines(PREFIX + "time_to_first_token_seconds", "From the request to its first token.")
        lines += self.next_token.lines(PREFIX + "time_between_tokens_seconds", "From a token to the next one.")
        return "\n".join(lines) + "\n"
