# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`write_model`: a model in another form."""

import os

from ..formats.gguf import GGUFFile
from ..formats.hugging_face import Folder
from ..models import Calibration, Decoder, load_model, save_folder, save_gguf
from .forms import FOLDER_DTYPES, FOLDER_SCHEMES, GGUF_TYPES
from .tokenizer_files import gguf_metadata, write_for_folder


def open_source(path):
    """The GGUFFile or Folder of a path.

    Raises:
        FileNotFoundError: There is none.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file or folder {path!r}.")
    return Folder(path) if os.path.isdir(path) else GGUFFile(path)


def stored_dtype(source):
    """The dtype in which the plain matrices of a GGUFFile or Folder are read without loss."""
    if not isinstance(source, Folder) or source.config.get("quantization_config"):
        return "float32"
    held = source.config.get("torch_dtype", source.config.get("dtype"))
    return held if held in FOLDER_DTYPES else "float32"


def write_model(source, path, kind, progress=None, calibration_ids=None, **options):
    """Write the decoder of a file or folder in another form.

    Args:
        source: A GGUFFile or Folder.
        path: What is written, which must not be there yet.
        kind: A key of GGUF_TYPES with the ending of GGUF files in `path`; otherwise one of FOLDER_SCHEMES or FOLDER_DTYPES, for a folder.
        progress: Called with (tensors that are written, their number).
        calibration_ids: Tokens of a text that codes of wint4 are fitted to; None: they are the nearest ones.
        options: group_size, zero_points and keep_head of save_folder.

    Returns:
        Names of matrices that stay plain.

    Raises:
        ValueError: The model is no decoder, or cannot be expressed in that form.
        FileExistsError: There is something of that name.
    """
    if os.path.exists(path):
        raise FileExistsError(f"{os.fspath(path)!r} is there already; remove it, or choose another name.")
    model = load_model(source, dtype=stored_dtype(source), pack=False)
    if not isinstance(model, Decoder):
        raise ValueError(
            f"{source.path}: the model is a {type(model).__name__}; decoders can be written in other forms."
        )
    if os.fspath(path).endswith(".gguf"):
        if kind not in GGUF_TYPES:
            raise ValueError(f"a GGUF file holds no {kind}; it can hold {', '.join(GGUF_TYPES)}.")
        save_gguf(model, path, GGUF_TYPES[kind], gguf_metadata(source), progress)
        return []
    if kind not in (*FOLDER_SCHEMES, *FOLDER_DTYPES):
        raise ValueError(f"a folder holds no {kind}; it can hold {', '.join((*FOLDER_SCHEMES, *FOLDER_DTYPES))}.")
    calibration = None if calibration_ids is None else Calibration(model, calibration_ids)
    return save_folder(
        model,
        path,
        scheme=kind if kind in FOLDER_SCHEMES else None,
        dtype=kind if kind in FOLDER_DTYPES else "bfloat16",
        calibration=calibration,
        settings=source.config if isinstance(source, Folder) else None,
        write_others=lambda folder: write_for_folder(source, folder),
        progress=progress,
        **options,
    )
