# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle quantize MODEL` and `paddle convert MODEL`."""

import os
import sys

from ..progress import Progress
from .forms import CACHE_SCHEMES, FILE_SCHEMES, FOLDER_DTYPES, FOLDER_SCHEMES, GGUF_TYPES

CALIBRATION_TOKENS = 8192


def add_quantize_arguments(parser):
    """Declares the arguments of `paddle quantize`."""
    _add_model(parser)
    parser.add_argument(
        "--scheme",
        required=True,
        choices=[*FOLDER_SCHEMES, *FILE_SCHEMES, *CACHE_SCHEMES],
        help="wint4, wint8, fp8: a folder; q8_0, q4_k: a GGUF file; kv8, kv4: the cache, of which the cost is measured",
    )
    parser.add_argument("--out", metavar="PATH", help="what is written (default: MODEL-SCHEME in this folder)")
    parser.add_argument("--text", metavar="FILE", help="text for the perplexity (default: Python's language reference)")
    parser.add_argument("--tokens", type=int, default=4096, metavar="N", help="of the text (default: 4096)")
    parser.add_argument(
        "--group-size",
        type=int,
        default=128,
        choices=(64, 128),
        help="inputs with one scale, of wint4 and wint8 (default: 128)",
    )
    parser.add_argument("--zero-points", action="store_true", help="a zero for each group, of wint4")
    parser.add_argument(
        "--keep-head", action="store_true", help="embedding and head stay bfloat16, of wint4, wint8 and fp8"
    )
    parser.add_argument(
        "--calibration",
        metavar="FILE",
        help="text that codes of wint4 are fitted to (default: the end of Python's language reference); none: they are the nearest "
        "ones",
    )
    parser.add_argument("--no-measure", action="store_true", help="write only")
    parser.set_defaults(function=run_quantize)


def add_convert_arguments(parser):
    """Declares the arguments of `paddle convert`."""
    _add_model(parser)
    parser.add_argument("--to", required=True, choices=("gguf", "safetensors"), help="form of what is written")
    parser.add_argument(
        "--dtype",
        choices=sorted({*FOLDER_DTYPES, *GGUF_TYPES}),
        help="of matrices: float32, float16, q8_0 or q4_k for gguf, float32, float16 or bfloat16 for safetensors (default: float16 "
        "for gguf; as MODEL has them, or float32, for safetensors)",
    )
    parser.add_argument("--out", metavar="PATH", help="what is written (default: MODEL in that form, in this folder)")
    parser.set_defaults(function=run_convert)


def _add_model(parser):
    parser.add_argument(
        "model", metavar="MODEL", help="a GGUF file, or a folder with config.json and safetensors or a .pdparams file"
    )


def run_quantize(options):
    """Quantises and measures; the exit code."""
    if options.tokens < 2:
        raise ValueError(f"--tokens has value {options.tokens}; it must be at least 2.")
    for name, is_given, schemes in (
        ("--zero-points", options.zero_points, ("wint4",)),
        ("--keep-head", options.keep_head, FOLDER_SCHEMES),
        ("--group-size", options.group_size != 128, ("wint4", "wint8")),
        ("--calibration", options.calibration is not None, ("wint4",)),
        ("--out", options.out is not None, (*FOLDER_SCHEMES, *FILE_SCHEMES)),
    ):
        if is_given and options.scheme not in schemes:
            raise ValueError(f"{name} is given; it belongs to {', '.join(schemes)}, and --scheme is {options.scheme}.")
    text = _text("--text", options.text)
    if options.scheme in CACHE_SCHEMES:
        if options.no_measure:
            raise ValueError(f"--no-measure is given; {options.scheme} writes nothing.")
        return _measure_cache(options, text)
    out = options.out or _default_out(options.model, f"-{options.scheme}", options.scheme in FILE_SCHEMES)
    _check_out(out, options.scheme in FILE_SCHEMES)
    from .measuring import measure
    from .writing import open_source

    source = open_source(options.model)
    before = None if options.no_measure else measure(options.model, text, options.tokens)
    more = {}
    if options.scheme in FOLDER_SCHEMES:
        more = dict(group_size=options.group_size, zero_points=options.zero_points, keep_head=options.keep_head)
    if options.scheme == "wint4" and options.calibration != "none":
        more["calibration_ids"] = _calibration_ids(source, options.calibration)
    _write(source, out, options.scheme, **more)
    if before is not None:
        after = measure(out, text, options.tokens)
        _print_table({options.model: before, out: after})
    return 0


def run_convert(options):
    """Writes the model in the other form; the exit code."""
    from .writing import open_source, stored_dtype

    is_file = options.to == "gguf"
    source = open_source(options.model)
    kind = options.dtype or ("float16" if is_file else stored_dtype(source))
    if kind not in (GGUF_TYPES if is_file else FOLDER_DTYPES):
        known = ", ".join(GGUF_TYPES if is_file else FOLDER_DTYPES)
        raise ValueError(f"--dtype is {kind}; {options.to} can have {known}.")
    out = options.out or _default_out(options.model, "", is_file)
    _check_out(out, is_file)
    _write(source, out, kind)
    return 0


def _default_out(model, ending, is_file):
    name = os.path.basename(os.path.normpath(os.path.abspath(model)))
    return name.removesuffix(".gguf") + ending + (".gguf" if is_file else "")


def _check_out(out, is_file):
    if out.endswith(".gguf") != is_file:
        raise ValueError(
            f"--out is {out!r}; " + ("a GGUF file ends in .gguf." if is_file else "a folder does not end in .gguf.")
        )
    if os.path.exists(out):
        raise FileExistsError(f"{out!r} is there already; remove it, or give another --out.")


def _text(option, path):
    from .measuring import sample_text

    if path is None:
        return sample_text()
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{option}: {path} is no UTF-8 text ({error}).") from None


def _calibration_ids(source, path):
    """The tokens of the end of a text."""
    from ..tokenizers import load_tokenizer

    tokenizer = load_tokenizer(source)
    text = _text("--calibration", path)
    ids = tokenizer.encode(text[-64 * CALIBRATION_TOKENS :], bos=False)[-CALIBRATION_TOKENS:]
    if not ids:
        raise ValueError(f"--calibration: {path} has no tokens.")
    return ids


def _write(source, out, kind, **options):
    from .writing import write_model

    with Progress("writing", shows=sys.stderr.isatty()) as bar:
        plain = write_model(source, out, kind, bar.update, **options)
    if plain:
        print(f"{len(plain)} matrices do not fit {kind} and stay bfloat16, such as {plain[0]}", file=sys.stderr)
    print(f"written: {out}")


def _print_table(figures):
    width = max(len(path) for path in figures)
    print(f"{'model':<{width}}{'MB':>10}{'perplexity':>13}{'decode':>10}{'prefill':>10}   tokens/s")
    for path, found in figures.items():
        speed = f"{found.decode:>10.1f}{found.prefill:>10.1f}"
        print(f"{path:<{width}}{found.bytes / 1e6:>10.1f}{found.perplexity:>13.4f}{speed}")


def _measure_cache(options, text):
    import numpy

    from ... import _core
    from ..models import load_model, measure_key_balance
    from ..tokenizers import load_tokenizer
    from .measuring import WINDOW, cache_bytes_per_token, cache_perplexity, tokens_of
    from .writing import open_source

    source = open_source(options.model)
    tokenizer, model = load_tokenizer(source), load_model(source)
    config = model.config
    ids = tokens_of(text, tokenizer, options.tokens, config.vocab_size)
    wanted = CACHE_SCHEMES[options.scheme]
    rows = [("float32", None), (wanted, None)]
    if config.latent is None:
        # From the end of the text, which is not measured unless the text is short.
        length = min(2048, WINDOW, config.max_positions)
        other = [ids[0], *tokenizer.encode(text[-64 * length :])[-length + 1 :]]
        rows.append((wanted, measure_key_balance(model, _core.to_tensor(numpy.asarray(other, "int64")))))
    print(f"{'cache':<18}{'bytes a token':>15}{'perplexity':>13}{'against float32':>18}")
    base = None
    for dtype, balance in rows:
        found = cache_perplexity(model, ids, dtype, balance)
        base = base or found
        name = dtype if balance is None else f"{dtype}, balanced"
        size = cache_bytes_per_token(config, dtype)
        print(f"{name:<18}{size:>15.0f}{found:>13.4f}{100 * (found / base - 1):>+17.3f}%", flush=True)
    return 0
