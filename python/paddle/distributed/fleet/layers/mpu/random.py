# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Named random states, so that parallel ranks draw equal or different numbers as a layer needs."""

import contextlib

from ..... import framework
from .....framework.execution_context import objects_of_rank
from .....framework.random import get_rng_state, set_rng_state

MODEL_PARALLEL_RNG = "model_parallel_rng"


class RNGStatesTracker:
    """Random states by name; `rng_state(name)` draws from one of them."""

    def __init__(self):
        self.states_ = {}
        self.seeds_ = set()

    def reset(self):
        """Forget all states."""
        self.states_ = {}
        self.seeds_ = set()

    def add(self, name, seed):
        """Add a state that starts from a seed of its own."""
        if seed in self.seeds_:
            raise ValueError(f"RNGStatesTracker.add: seed {seed} already exists.")
        if name in self.states_:
            raise ValueError(f"RNGStatesTracker.add: state {name} already exists.")
        self.seeds_.add(seed)
        before = get_rng_state()
        framework.random.seed(seed)
        self.states_[name] = get_rng_state()
        set_rng_state(before)

    def get_states_tracker(self):
        """A copy of the states by name."""
        return dict(self.states_)

    def set_states_tracker(self, states):
        """Restore what `get_states_tracker` returned."""
        self.states_ = dict(states)

    @contextlib.contextmanager
    def rng_state(self, name=MODEL_PARALLEL_RNG):
        """Inside, random operators draw from the named state."""
        if name not in self.states_:
            raise ValueError(f"RNGStatesTracker.rng_state: state {name} does not exist; call add first.")
        before = get_rng_state()
        set_rng_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = get_rng_state()
            set_rng_state(before)


def get_rng_state_tracker():
    """The tracker of this rank: states of the random generator by name, so that members of a model-parallel group draw
    the same numbers in some places and different ones in others.

    Returns:
        An RNGStatesTracker: `with tracker.rng_state("model_parallel_rng"):` draws from the state of that name.
    """
    return objects_of_rank().setdefault(get_rng_state_tracker, RNGStatesTracker())


def model_parallel_random_seed(seed=None):
    """Seed the global state and the model-parallel one of this rank.

    Args:
        seed: An integer, or None for one drawn from the system.
    """
    import random

    from ...base import topology

    job = topology.hybrid_groups()
    rank = 0 if job is None else job.get_model_parallel_rank()
    seed = random.randint(0, 655350) if seed is None else seed
    tracker = get_rng_state_tracker()
    tracker.reset()
    tracker.add(MODEL_PARALLEL_RNG, seed + 1024 + rank)
    framework.random.seed(seed)


def dropout(x, p=0.5, axis=None, rng_name=None, training=True, mode="upscale_in_train", name=None):
    """`paddle.nn.functional.dropout` that draws from a named state.

    Args:
        x: A Tensor.
        p: Probability of 0.
        axis: Axes along which elements are dropped one by one; None: all.
        rng_name: Name of the state; None: the default one.
        training: Whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        name: Unused.
    """
    from .....nn.functional import dropout as plain

    with get_rng_state_tracker().rng_state(rng_name) if rng_name is not None else contextlib.nullcontext():
        return plain(x, p, axis, training, mode)
