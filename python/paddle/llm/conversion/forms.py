# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The forms in which models are written, by the names that the commands have for them."""

# Of matrices in GGUF files -> the type of save_gguf.
GGUF_TYPES = {"q8_0": "Q8_0", "q4_k": "Q4_K_M", "float32": "F32", "float16": "F16"}
# Of matrices in folders.
FOLDER_DTYPES = ("float32", "float16", "bfloat16")
FOLDER_SCHEMES = ("wint4", "wint8", "fp8")
FILE_SCHEMES = ("q8_0", "q4_k")
# Of caches -> the engine's cache_dtype.
CACHE_SCHEMES = {"kv8": "int8", "kv4": "int4"}
