# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The program that the engine runs: a model over a batch of tokens, with its cache in blocks."""

from contextlib import nullcontext

from ... import _core
from ...framework.modes import no_grad
from ...jit import tree
from ...jit.capturing import capture_function
from ...jit.spec import InputSpec

ops = _core.ops
_write = _core.function("paddle.incubate.nn.functional.paged_cache_write_")
# Bytes of a row of the cache, by its dtype.
_ROW_BYTES = {
    "float32": lambda width: 4 * width,
    "float16": lambda width: 2 * width,
    "bfloat16": lambda width: 2 * width,
    "int8": lambda width: width + 2,
    "uint8": lambda width: (width + 31) // 32 * 18 + 2,
}
CACHE_DTYPES = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int8": "int8", "int4": "uint8"}


class BlockCache:
    """Keys and values of all layers in blocks, and where the tokens of a step belong.

    Args:
        config: DecoderConfig of the model.
        blocks: Number of blocks.
        block_size: Tokens of a block.
        dtype: A key of CACHE_DTYPES.
        balance: KeyBalance of each layer, or None.
    """

    def __init__(self, config, blocks, block_size, dtype, balance=None):
        self.balance = balance
        self.forms = [config.attention(layer) for layer in range(config.num_layers)]
        shape = self._block_shape(config, block_size, dtype)
        self.tensors = [_core.engine.untouched([blocks, *shape], CACHE_DTYPES[dtype]) for _ in self.forms]
        self.positions = self.slots = self.where = None

    @staticmethod
    def _block_shape(config, block_size, dtype):
        stored = CACHE_DTYPES[dtype]
        per_number = {"float32": 4, "float16": 2, "bfloat16": 2}.get(stored, 1)
        if config.latent is not None:
            width = config.latent.width + config.rotary.width
            return [1, block_size, _ROW_BYTES[stored](width) // per_number]
        return [2, config.num_kv_heads, block_size, _ROW_BYTES[stored](config.head_dim) // per_number]

    @classmethod
    def bytes_of_block(cls, config, block_size, dtype):
        """Bytes of a block in all layers."""
        rows = 1
        for extent in (shape := cls._block_shape(config, block_size, dtype))[:-1]:
            rows *= extent
        per_number = {"float32": 4, "float16": 2, "bfloat16": 2}.get(CACHE_DTYPES[dtype], 1)
        return config.num_layers * rows * shape[-1] * per_number

    def begin(self, positions, slots, *where):
        """A step with tokens at these positions and slots; where: tables, starts and lengths, as paged_attention takes them."""
        self.positions, self.slots, self.where = positions, slots, where

    def write_and_attend(self, layer, q, k, v):
        """See ContiguousCache."""
        form, cache = self.forms[layer], self.tensors[layer]
        if self.balance is not None:
            q, k = self.balance[layer].apply(q, k)
        _write(cache, k, v, self.slots)
        return ops.paged_attention(q, cache, *self.where, None, form.scale, form.window, form.cap)

    def write_and_attend_latent(self, layer, q_latent, q_rope, latent, k_rope):
        """See ContiguousCache."""
        form, rows = self.forms[layer], self.tensors[layer]
        _write(rows, ops.concat([latent, k_rope], -1).unsqueeze(1), None, self.slots)
        q = ops.concat([q_latent, q_rope], -1)
        out = ops.paged_attention(q, rows, *self.where, None, form.scale, form.window, form.cap, rows)
        return out[..., : q_latent.shape[-1]]


def capture_step(model, cache, adapters=None):
    """The program of `inference/engine/model_runner.h` for a Decoder and a BlockCache, as the core's Executable; with
    AdapterSlots that of steps with adapters."""

    def step(tokens, tables, starts, lengths, rows):
        ids, positions = ops.cast(tokens[0], "int64"), ops.cast(tokens[1], "int64")
        cache.begin(positions, tokens[2], tables, starts, lengths)
        with nullcontext() if adapters is None else adapters.beside(ops.cast(tokens[3], "int64")):
            states = model.states(ids, cache)
        return ops.cast(model.logits(ops.gather(states, rows, 0)), "float32")

    shapes = {
        "tokens": [3 if adapters is None else 4, None],
        "tables": [None, None],
        "starts": [None],
        "lengths": [None],
        "rows": [None],
    }
    specs = [InputSpec(shape, "int32", name, True) for name, shape in shapes.items()]
    was_training = model.training
    model.eval()
    try:
        with no_grad():
            structure = tree.flatten((tuple(specs), {}), lambda leaf: isinstance(leaf, InputSpec), [])
            entry = capture_function(step, None, structure, specs, None, False, for_export=False)
    finally:
        if was_training:
            model.train()
    return entry.executable
