# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `paddle`: what a saved model holds, whether it runs here, running it, timing it, drawing it, serving
language models, and examining device plugins.

MODEL is a program file (`.json`, `.pdmodel`), the prefix that was given to `jit.save`, or a folder with one model; for
`serve` and `chat` a GGUF file, or a folder in Hugging Face's layout.
"""

import argparse
import math
import os
import sys
import time


def _files(model, params=None):
    """Paths of the program and of its parameters (empty: none)."""
    from .inference import Config

    if os.path.isdir(model):
        return Config(model).files()
    program = model
    if not os.path.isfile(program):
        program = next((model + e for e in (".json", ".pdmodel") if os.path.isfile(model + e)), None)
        if program is None:
            raise ValueError(
                f"there is no model {model!r}: neither this file nor {model}.json nor {model}.pdmodel exist."
            )
    if params is None:
        params = os.path.splitext(program)[0] + ".pdiparams"
        params = params if os.path.isfile(params) else ""
    elif not os.path.isfile(params):
        raise ValueError(f"the parameter file {params!r} does not exist.")
    return program, params


def _bytes(count):
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.4g} {unit}"
        count /= 1000
    return f"{count:.4g} GB"


def _shape(shape):
    return "[" + ", ".join("?" if d < 0 else str(d) for d in shape) + "]"


# -- info, check -------------------------------------------------------------------------------------
def _info(options):
    from . import _core

    program, params = _files(options.model, options.params)
    summary = _core.pir.model_summary(program)
    print(
        f"program      {program} ({_bytes(os.path.getsize(program))}), {summary['format']}, version {summary['version']}"
    )
    if params:
        print(f"parameters   {params} ({_bytes(os.path.getsize(params))})")
    for kind in ("inputs", "outputs"):
        print(kind)
        for name, dtype, _, shape in summary[kind]:
            print(f"  {name}  {dtype} {_shape(shape)}")
    tensors = summary["parameters"]
    elements = sum(math.prod(shape) for *_, shape in tensors)
    size = sum(width * math.prod(shape) for _, _, width, shape in tensors)
    print(f"parameters   {len(tensors)} tensors, {elements:,} elements, {_bytes(size)}")
    operators = summary["operators"]
    print(f"operators    {sum(operators.values())} of {len(operators)} kinds")
    for name, count in sorted(operators.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {count:6d}  {name}" + ("   (missing)" if _is_missing(name, summary) else ""))
    return 0


def _is_missing(name, summary):
    return any(name == m.rpartition(".")[2] for m in summary["missing"])


def _check(options):
    from . import _core

    program, params = _files(options.model, options.params)
    summary = _core.pir.model_summary(program)
    if summary["missing"]:
        print(f"{program}: paddle lacks {len(summary['missing'])} operators:")
        for name in summary["missing"]:
            print(f"  {name}")
        return 1
    if summary["parameters"] and not params:
        stem, folder = os.path.splitext(program)[0], os.path.dirname(program)
        if not all(os.path.isfile(os.path.join(folder, name)) for name, *_ in summary["parameters"]):
            raise ValueError(f"{program} has parameters, but {stem}.pdiparams does not exist.")
    _core.pir.SavedProgram.load(program, params)
    print(f"{program}: every operator is there, the program and its parameters load.")
    return 0


# -- run, bench --------------------------------------------------------------------------------------
def _predictor(options):
    from . import inference

    config = inference.Config(*_files(options.model, options.params))
    if options.threads:
        config.set_cpu_math_library_num_threads(options.threads)
    return inference.create_predictor(config)


def _pairs(given, option):
    pairs = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{option} has value {text!r}; it must have the form NAME=VALUE.")
        pairs[name] = value
    return pairs


def _arrays(predictor, given):
    names = predictor.get_input_names()
    paths = _pairs(given, "--input")
    unknown, missing = sorted(set(paths) - set(names)), [n for n in names if n not in paths]
    if unknown or missing:
        wrong = f"there is no input {unknown[0]!r}" if unknown else f"input {missing[0]!r} is not given"
        raise ValueError(f"{wrong}; the model has the inputs {names}: pass --input NAME=FILE.npy for each.")
    return [_read_array(paths[name]) for name in names]


def _read_array(path):
    """The array of an .npy file, mapped first: its header cannot ask for more memory than the file has."""
    import zipfile

    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, OverflowError, MemoryError, zipfile.BadZipFile) as error:
        text = str(error).strip().partition("\n")[0]
        raise ValueError(f"{path} holds no array that can be read ({text}); write it with numpy.save.") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path} holds several arrays; write one with numpy.save.")
    return np.array(array)


def _set_sequences(predictor, inputs, given):
    """Say where sequences begin in the inputs whose rows are such: as given, else all rows are one."""
    levels, texts = predictor._native.sequence_levels, _pairs(given, "--lod")
    unknown = sorted(set(texts) - set(levels))
    if unknown:
        raise ValueError(f"--lod names {unknown[0]!r}; the inputs that hold sequences are {sorted(levels)}.")
    for name, value in zip(predictor.get_input_names(), inputs, strict=True):
        if name not in levels:
            continue
        lod = [[0, 1] for _ in range(levels[name] - 1)] + [[0, value.shape[0] if value.shape else 1]]
        if name in texts:
            try:
                lod = [[int(n) for n in level.split(",")] for level in texts[name].split("/")]
            except ValueError as error:
                raise ValueError(f"--lod must list integers, such as --lod x=0,2,5 ({error})") from None
            if any(n < 0 for level in lod for n in level):
                raise ValueError(f"--lod {name} has value {texts[name]}; no offset may be negative.")
        predictor.get_input_handle(name).set_lod(lod)


def _run(options):
    import numpy as np

    predictor = _predictor(options)
    inputs = _arrays(predictor, options.input)
    _set_sequences(predictor, inputs, options.lod)
    results = [t.numpy() for t in predictor.run(inputs)]
    names = predictor.get_output_names()
    for name, value in zip(names, results, strict=True):
        print(f"{name}  {value.dtype} {_shape(value.shape)}")
        if value.size and value.dtype.kind in "fiub":
            print(f"  min {value.min():.6g}  mean {value.mean():.6g}  max {value.max():.6g}")
    if options.output:
        np.savez(options.output, **dict(zip(names, results, strict=True)))
        print(f"written: {options.output}")
    return 0


def _shapes(inputs, given):
    """A shape for every input: the given ones, else those of the model."""
    texts = given or []
    if len(inputs) == 1 and len(texts) == 1 and "=" not in texts[0]:
        texts = [f"{inputs[0][0]}={texts[0]}"]
    try:
        shapes = {n: [int(d) for d in v.split(",") if d] for n, v in _pairs(texts, "--shape").items()}
    except ValueError as error:
        raise ValueError(f"--shape must list integers, such as --shape x=1,3,640,640 ({error})") from None
    for name, _, _, shape in inputs:
        shape = shapes.setdefault(name, shape)
        if any(d < 0 for d in shape):
            raise ValueError(f"input {name!r} has shape {_shape(shape)}; pass --shape {name}=N,N,...")
    unknown = sorted(set(shapes) - {name for name, *_ in inputs})
    if unknown:
        raise ValueError(f"--shape names {unknown[0]!r}; the model has the inputs {[n for n, *_ in inputs]}.")
    return shapes


def _example_inputs(options):
    """Random arrays, zeros for integers, as Tensors."""
    import numpy as np

    from . import _core

    inputs = _core.pir.model_summary(_files(options.model, options.params)[0])["inputs"]
    shapes = _shapes(inputs, options.shape)
    random = np.random.default_rng(0)
    tensors = []
    for name, dtype, _, _ in inputs:
        integral = dtype.startswith(("int", "uint", "bool"))
        data = np.zeros(shapes[name]) if integral else random.standard_normal(shapes[name])
        tensors.append(_core.to_tensor(data, dtype=dtype))
    return tensors


def _bench(options):
    from . import _core

    inputs = _example_inputs(options)
    predictor = _predictor(options)
    _set_sequences(predictor, inputs, options.lod)
    for _ in range(options.warmup):
        predictor.run(inputs)
    latencies = []
    for _ in range(options.runs):
        begin = time.perf_counter()
        predictor.run(inputs)
        latencies.append((time.perf_counter() - begin) * 1e3)
    latencies.sort()
    print(f"{options.runs} runs, {options.threads or _core.get_num_threads()} threads; latency in ms")
    points = {"min": 0.0, "p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    print("  ".join(f"{name} {latencies[round(q * (len(latencies) - 1))]:.3f}" for name, q in points.items()))
    times = _core.pir.Times()
    with times:
        for _ in range(options.runs):
            predictor.run(inputs)
    _print_operators(times.rows(), options.runs)
    return 0


def _print_operators(rows, runs):
    totals = {}
    for name, calls, nanoseconds, size in rows:
        total = totals.setdefault(name.rpartition(".")[2], [0, 0, 0])
        for i, value in enumerate((calls, nanoseconds, size)):
            total[i] += value
    whole = sum(ns for _, ns, _ in totals.values()) or 1
    print(f"{'operator':<32}{'calls':>7}{'ms a run':>11}{'share':>8}{'moved':>12}")
    for name, (calls, ns, size) in sorted(totals.items(), key=lambda item: -item[1][1]):
        moved = _bytes(size / runs)
        print(f"{name:<32}{calls // runs:>7}{ns / runs / 1e6:>11.3f}{ns / whole:>8.1%}{moved:>12}")


# -- visualize ---------------------------------------------------------------------------------------
def _visualize(options):
    from . import _core

    program, params = _files(options.model, options.params)
    output = options.output or os.path.basename(os.path.splitext(program)[0]) + ".html"
    loaded = _core.pir.SavedProgram.load(program, params, optimize=not options.as_saved)
    times = None
    if options.shape:
        inputs = _example_inputs(options)
        loaded.run(inputs)
        times = _core.pir.Times()
        with times:
            loaded.run(inputs)
    loaded.visualize(output, times)
    print(f"written: {output}")
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="paddle", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, function, help):
        added = commands.add_parser(name, help=help, description=help)
        added.add_argument("model", metavar="MODEL", help="program file, prefix or folder")
        added.add_argument("--params", help="parameter file; default: beside the program")
        added.set_defaults(function=function)
        return added

    def add_shape(to):
        to.add_argument(
            "--shape", action="append", metavar="NAME=N,N", help="shape of an input; the name may be left out"
        )

    def add_lod(to):
        text = "where sequences begin in an input, 0,2,5; outer levels first, 0,2/0,2,5 (default: one of all rows)"
        to.add_argument("--lod", action="append", metavar="NAME=N,N", help=text)

    command("info", _info, "Print inputs, outputs, parameters and operators.")
    command("check", _check, "Say which operators paddle lacks; exit 1 when there are any.")
    run = command("run", _run, "Run the model once.")
    run.add_argument("--input", action="append", metavar="NAME=FILE.npy", help="array for an input")
    add_lod(run)
    run.add_argument("--output", metavar="FILE.npz", help="where the outputs go")
    run.add_argument("--threads", type=int, default=0, help="threads of an operator (default: all processors)")
    bench = command("bench", _bench, "Measure latency and the time of each operator.")
    add_shape(bench)
    add_lod(bench)
    bench.add_argument("--threads", type=int, default=0, help="threads of an operator (default: all processors)")
    bench.add_argument("--runs", type=int, default=20, help="measured runs (default: 20)")
    bench.add_argument("--warmup", type=int, default=3, help="runs before them (default: 3)")
    visualize = command("visualize", _visualize, "Draw the program; with --shape also run it and show times.")
    visualize.add_argument("-o", "--output", metavar="FILE", help=".html or .svg")
    visualize.add_argument("--as-saved", action="store_true", help="without the passes of loading")
    add_shape(visualize)
    _add_language_commands(commands)
    return parser


# -- serve, chat, quantize, convert -------------------------------------------------------------------------------------
def _add_language_commands(commands):
    from .device.conformance import command as conformance
    from .llm.chat import terminal
    from .llm.conversion import commands as conversion
    from .llm.server import command as server

    for name, module, help in (
        ("serve", server, "Serve a language model over HTTP, with OpenAI's interface."),
        ("chat", terminal, "Talk to a language model."),
        ("conformance", conformance, "Say what a device plugin does right, and grade it."),
    ):
        added = commands.add_parser(name, help=help, description=help)
        module.add_arguments(added)
        added.set_defaults(function=module.run)
    for name, declare, help in (
        (
            "quantize",
            conversion.add_quantize_arguments,
            "Write a language model with fewer bits, and measure what it costs.",
        ),
        ("convert", conversion.add_convert_arguments, "Write a language model in another form of files."),
    ):
        declare(commands.add_parser(name, help=help, description=help))


def main(arguments=None):
    """Runs one command; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        if getattr(options, "runs", 1) < 1:
            raise ValueError(f"--runs has value {options.runs}; it must be at least 1.")
        return options.function(options)
    except KeyboardInterrupt:
        return 130
    except (ValueError, TypeError, RuntimeError, NotImplementedError, OSError, MemoryError, ImportError) as error:
        print(f"paddle {options.command}: {error}", file=sys.stderr)
        return 2
