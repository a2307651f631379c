# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""MLPs of a layer of which a router chooses some for each token."""

from ... import _core, nn
from ...nn import functional as F
from .activations import gated

ops = _core.ops


class GatedMLP(nn.Layer):
    """down(activation(gate(x)) * up(x))."""

    def __init__(self, config, make, name, width):
        super().__init__()
        hidden = config.hidden_size
        self.gate = make.linear(name + ".gate", hidden, width, config.mlp_bias)
        self.up = make.linear(name + ".up", hidden, width, config.mlp_bias)
        self.down = make.linear(name + ".down", width, hidden, config.mlp_bias)
        self.activation = config.activation

    def forward(self, x):
        return self.down(gated(self.activation, self.gate(x), self.up(x)))


class Router(nn.Layer):
    """Which experts a token takes, and their weights. Scores are computed in float32, whatever the model's dtype."""

    def __init__(self, config, make, name):
        super().__init__()
        self.rule, make = config.experts, make.in_float32()
        self.scores = make.linear(name + ".scores", config.hidden_size, self.rule.count)
        bias = make.buffer(name + ".selection_bias", (self.rule.count,)) if self.rule.selection_bias else None
        self.register_buffer("selection_bias", bias)

    def forward(self, x):
        """x [tokens, hidden] -> weights [tokens, chosen] in float32, and numbers of experts int64 [tokens, chosen]."""
        rule, logits = self.rule, self.scores(x.astype("float32"))
        scores = F.softmax(logits, -1) if rule.score == "softmax" else F.sigmoid(logits)
        merit = scores.detach()
        if self.selection_bias is not None:
            merit = merit + self.selection_bias
        if rule.groups > 1:
            merit = self._of_best_groups(merit)
        ids = ops.topk(merit, rule.chosen)[1]
        weights = ops.take_along_axis(scores, ids, -1)
        if rule.normalized:
            weights = weights / ops.maximum(weights.sum(-1, keepdim=True), ops.full([], rule.floor, "float32"))
        return (weights if rule.scale == 1.0 else weights * rule.scale), ids

    def _of_best_groups(self, merit):
        """The same, with -inf for experts of groups that are not chosen."""
        rule = self.rule
        members = merit.reshape([-1, rule.groups, rule.count // rule.groups])
        best = ops.topk(members, rule.best_of_group)[0].sum(-1)
        chosen = ops.topk(best, rule.chosen_groups)[1]
        is_out = ops.put_along_axis(ops.full_like(best, 1.0), chosen, ops.full_like(chosen, 0.0, dtype="float32"), 1)
        members = ops.where(is_out.unsqueeze(-1) > 0, ops.full([], float("-inf"), "float32"), members)
        return members.reshape([-1, rule.count])


class Matrices(nn.Layer):
    """The matrices of experts."""

    def __init__(self, config, make, name):
        super().__init__()
        hidden, rule = config.hidden_size, config.experts
        self.gate = make.expert_linear(name + ".gate", rule.count, hidden, rule.width)
        self.up = make.expert_linear(name + ".up", rule.count, hidden, rule.width)
        self.down = make.expert_linear(name + ".down", rule.count, rule.width, hidden)


class ExpertMLP(nn.Layer):
    """The sum of the chosen experts' results, times their weights, and of a shared MLP where there is one."""

    def __init__(self, config, make, name):
        super().__init__()
        self.rule, self.activation = config.experts, config.activation
        self.router = Router(config, make, name + ".router")
        self.experts = Matrices(config, make, name + ".experts")
        shared = self.rule.shared_width
        self.shared = GatedMLP(config, make, name + ".shared", shared) if shared else None
        is_gated = self.rule.shared_gate
        self.shared_gate = make.linear(name + ".shared_gate", config.hidden_size, 1) if is_gated else None

    def forward(self, x):
        rows = x.reshape([-1, x.shape[-1]])
        weights, ids = self.router(rows)
        wide = gated(self.activation, self.experts.gate(rows, ids), self.experts.up(rows, ids))
        by_choice = self.experts.down(wide, ids)
        out = ops.matmul(weights.astype(x.dtype).unsqueeze(1), by_choice).squeeze(1)
        if self.shared is not None:
            added = self.shared(rows)
            out = out + (added if self.shared_gate is None else F.sigmoid(self.shared_gate(rows)) * added)
        return out.reshape(x.shape)
