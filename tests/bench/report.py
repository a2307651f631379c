# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Turn the JSON of bench.py --out into a readable table: python report.py peers.json [more.json] > peers.md"""

import json
import sys

from side_by_side import HIGHER_IS_BETTER

ORDER = ("paddle", "paddle-static", "torch", "torch-compile", "numpy")


def text(value):
    return "" if value is None else f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def main(paths):
    records = []
    for path in paths:
        with open(path) as file:
            records += json.load(file)
    latest = {}  # a case that was run again replaces its earlier records
    for record in records:
        name = record.get("metric") or record.get("check") or "error"
        latest[record["case"], record["threads"], name, record["framework"]] = record
        # a failure of the whole case that a later run repaired must not stay
        if name != "error":
            latest.pop((record["case"], record["threads"], "error", record["framework"]), None)
    limits = {
        (r["metric"], r["threads"]): r["value"] for r in latest.values() if r["case"] == "limits" and "value" in r
    }
    print("# Peers: measured figures\n")
    versions = {r["framework"]: r["version"] for r in latest.values() if r.get("version")}
    print("Versions: " + ", ".join(f"{k} {v}" for k, v in sorted(versions.items())) + ".")
    print(
        "Median of repeats, min-max in brackets. `paddle:torch` is how many times better paddle is"
        " than torch (below 1: paddle is worse); `best` is the best framework.\n"
    )
    if any(r.get("clock") == "cpu" for r in latest.values()):
        print(
            "Rows of clock `cpu` were taken while other programs used the machine: they are the"
            " processor time of the process (all its threads), one thread asked for. They compare"
            " the work done, not the waiting; memory-bound figures suffer from the neighbours.\n"
        )
    print("## Limits of the machine\n\n| figure | unit | 1 thread | 2 threads |\n|---|---|---|---|")
    units = {r["metric"]: r["unit"] for r in latest.values() if r["case"] == "limits" and "metric" in r}
    for metric, unit in units.items():
        print(f"| {metric} | {unit} | {text(limits.get((metric, 1)))} | {text(limits.get((metric, 2)))} |")
    print("\n## Cases\n\n| case | threads | clock | metric | unit | " + " | ".join(ORDER) + " | paddle:torch | best |")
    print("|" + "---|" * (len(ORDER) + 7))
    rows = {}
    for (case, threads, name, framework), record in latest.items():
        if case != "limits" and "metric" in record:
            rows.setdefault((case, threads, record.get("clock", "wall"), name, record["unit"]), {})[framework] = record
    for (case, threads, clock, name, unit), found in rows.items():
        cells = []
        for framework in ORDER:
            r = found.get(framework)
            spread = f" [{text(r['min'])}-{text(r['max'])}]" if r and r.get("repeats", 1) > 1 else ""
            cells.append(text(r["value"]) + spread if r else "")
        high = unit in HIGHER_IS_BETTER
        ratio = ""
        if "paddle" in found and "torch" in found:
            ratio = found["paddle"]["value"] / found["torch"]["value"]
            ratio = f"{ratio if high else 1 / ratio:.2f}"
        best = (max if high else min)(found, key=lambda f: found[f]["value"]) if len(found) > 1 else ""
        if name.endswith(".rate") and case == "fused_ops" and ("copy_32MiB_streaming", threads) in limits:
            top = max(v for (m, t), v in limits.items() if t == threads and m.startswith("copy_32MiB"))
            best += f" ({max(r['value'] for r in found.values()) / top:.0%} of the copy limit)"
        print(f"| {case} | {threads} | {clock} | {name} | {unit} | " + " | ".join(cells) + f" | {ratio} | {best} |")
    print("\n## Checksums (the work is the same)\n\n| case | check | " + " | ".join(ORDER) + " | spread |")
    print("|" + "---|" * (len(ORDER) + 3))
    checks = {}
    for (case, _, name, framework), record in latest.items():
        if "check" in record:
            checks.setdefault((case, name), {})[framework] = record["value"]
    for (case, name), found in checks.items():
        values = list(found.values())
        spread = (max(values) - min(values)) / max(map(abs, values)) if any(values) else 0
        print(
            f"| {case} | {name} | "
            + " | ".join(f"{found[f]:.9g}" if f in found else "" for f in ORDER)
            + f" | {spread:.1e} |"
        )
    print("\n## Failures\n")
    for record in latest.values():
        if "error" in record:
            print(
                f"- {record['case']}, {record['framework']}, {record['threads']} threads: "
                f"{record.get('metric', '')} {' '.join(record['error'].split())[:300]}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
