# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A server of the OpenAI completions protocol, from its start to the first token and beyond.

    python server.py [--port 8123] [--requests 5] [--tokens 64] [--model NAME] -- COMMAND... (with {port} in it)

for example -- python -m llama_cpp.server --model M.gguf --n_threads 2 --n_threads_batch 2 --port {port}

Starts the command, asks for one streamed completion again and again until it answers, and then more of
them with other prompts. Prints one JSON line a metric: start to the first token, first token of a warm
server, rate of the streamed tokens, peak resident set.
"""

import argparse
import http.client
import json
import os
import signal
import subprocess
import time

from measuring import Others, fixed_text, record


def stream(port, prompt, tokens, model):
    """Times of the pieces that arrive, or None where nobody answers yet."""
    body = {"prompt": prompt, "max_tokens": tokens, "stream": True, "temperature": 0}
    if model:
        body["model"] = model
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"HTTP {answer.status}: {answer.read()[:300]!r}")
        times = []
        for line in answer:
            if line.startswith(b"data: ") and b"[DONE]" not in line and json.loads(line[6:])["choices"]:
                times.append(time.perf_counter())
        return times
    except (ConnectionRefusedError, ConnectionResetError):
        return None
    finally:
        connection.close()


def peak_rss(pid):
    return next(int(line.split()[1]) / 1024 for line in open(f"/proc/{pid}/status") if line.startswith("VmHWM"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--requests", type=int, default=5)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--model", help="name in the request, where the server wants one")
    parser.add_argument("--label", default="server")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    text = fixed_text()
    starts, firsts, rates, peaks = [], [], [], []
    others = Others()
    for round_number in range(options.starts):
        port = options.port + round_number
        begin = time.perf_counter()
        server = subprocess.Popen(
            [part.replace("{port}", str(port)) for part in options.command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while not (times := stream(port, text[:120], options.tokens, options.model)):
                if server.poll() is not None:
                    raise RuntimeError(f"the server ended with {server.returncode}")
                if time.perf_counter() - begin > 120:
                    raise RuntimeError("the server does not answer")
                time.sleep(0.01)
            starts.append(times[0] - begin)
            for i in range(1, options.requests + 1):
                asked = time.perf_counter()
                times = stream(port, text[2000 * i : 2000 * i + 120], options.tokens, options.model)
                firsts.append(times[0] - asked)
                if len(times) > 2:
                    rates.append((len(times) - 1) / (times[-1] - times[0]))
            peaks.append(peak_rss(server.pid))
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
    more = {"framework": options.label, "others": others.share()}
    record("server_start_to_first_token", "ms", [1e3 * t for t in starts], **more)
    record("server_warm_first_token", "ms", [1e3 * t for t in firsts], prompt_characters=120, **more)
    record("server_stream_rate", "tokens/s", rates, **more)
    record("server_peak_rss", "MiB", peaks, **more)


if __name__ == "__main__":
    main()
