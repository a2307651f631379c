# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders in Hugging Face's layout: config.json, generation_config.json, tokenizer.json, safetensors in one file or several."""

import json
import mmap
import os

from ...framework import safetensors_file
from .settings import checked

_INDEX, _SINGLE = "model.safetensors.index.json", "model.safetensors"
MAX_JSON_BYTES = 1 << 28


class Folder:
    """What a folder holds.

    Args:
        path: The folder.

    Attributes:
        config: The dict of config.json.
        generation: That of generation_config.json, empty where there is none.

    Raises:
        FileNotFoundError: It has no config.json.
        ValueError: One of its files is damaged; the message names it.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self.config = checked(self.json("config.json"), self.file("config.json"))
        self.generation = {}
        if self.has("generation_config.json"):
            self.generation = checked(self.json("generation_config.json"), self.file("generation_config.json"))
        self._readers = None

    def file(self, name):
        """The path of a file of the folder."""
        return os.path.join(self.path, name)

    def has(self, name):
        """Whether the folder has a file of that name."""
        return os.path.isfile(self.file(name))

    def names(self, ending):
        """Names of the files of the folder that end so, in order."""
        return sorted(name for name in os.listdir(self.path) if name.endswith(ending) and self.has(name))

    def has_safetensors(self):
        """Whether the weights are there as safetensors."""
        return self.has(_INDEX) or self.has(_SINGLE)

    def json(self, name):
        """The object that a JSON file of the folder holds, a dict."""
        return self._json(name, dict, "an object")

    def json_list(self, name):
        """The list of objects that a JSON file of the folder holds."""
        found = self._json(name, list, "a list of objects")
        if not all(isinstance(entry, dict) for entry in found):
            raise ValueError(f"{self.file(name)}: the file must hold a list of objects.")
        return found

    def _json(self, name, kind, text):
        path = self.file(name)
        if os.path.getsize(path) > MAX_JSON_BYTES:
            raise ValueError(f"{path}: the file has {os.path.getsize(path)} bytes; at most {MAX_JSON_BYTES} are read.")
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{path}: the file is no JSON ({error}).") from None
        if not isinstance(found, kind):
            raise ValueError(f"{path}: the file holds {type(found).__name__}; it must be {text}.")
        return found

    def tensor(self, name):
        """The Tensor of a name, read from the mapped file now; None where there is none."""
        if self._readers is None:
            self._readers = self._open_files()
        read = self._readers.get(name)
        return None if read is None else read()

    def __len__(self):
        """Number of tensors."""
        if self._readers is None:
            self._readers = self._open_files()
        return len(self._readers)

    def _open_files(self):
        if not self.has_safetensors():
            raise FileNotFoundError(
                f"{self.path}: there is no {_SINGLE} and no {_INDEX}; save the model as safetensors."
            )
        if not self.has(_INDEX):
            return self._mapped(_SINGLE)
        places = self.json(_INDEX).get("weight_map")
        if not isinstance(places, dict):
            raise ValueError(f"{self.file(_INDEX)}: it has no object 'weight_map'.")
        found, files = {}, {}
        for name, place in places.items():
            if not isinstance(place, str) or os.path.basename(place) != place or not self.has(place):
                raise ValueError(f"{self.file(_INDEX)}: {name!r} lies in {place!r}, which is no file of the folder.")
            if place not in files:
                files[place] = self._mapped(place)
            if name not in files[place]:
                raise ValueError(f"{self.file(_INDEX)}: {name!r} is not in {place!r}.")
            found[name] = files[place][name]
        return found

    def _mapped(self, name):
        with open(self.file(name), "rb") as file:
            if os.fstat(file.fileno()).st_size < 8:
                raise ValueError(f"{self.file(name)}: the file is no safetensors file; it is shorter than 8 bytes.")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            return safetensors_file.readers(data)
        except ValueError as error:
            raise ValueError(f"{self.file(name)}: {error}") from None
