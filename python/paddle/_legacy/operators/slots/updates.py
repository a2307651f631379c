# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 that update parameters and the state of training."""

from .... import _core
from .table import operator

ops = _core.ops


def _each(c, type, inputs, shared, outputs):
    """What one operator gives for every parameter of a list, by slot."""
    from .call import call

    found = {slot: [] for slot in outputs}
    for i in range(len(c.all("Param"))):
        given = {slot: c.all(slot)[i] for slot in inputs if c.all(slot)}
        for slot in shared:
            rates = c.all(slot)
            given[slot] = rates[i if len(rates) > 1 else 0]
        wanted = {slot: 1 for slot in outputs if not slot.startswith("Master") or c.all("MasterParam")}
        made = call(type, given, wanted, c.attributes(i))
        for slot in wanted:
            found[slot].append(made[slot][0])
    return found


@operator
def merged_adam(c):
    """Adam (Kingma and Ba, 2015) for a list of parameters."""
    inputs = ("Param", "Grad", "Moment1", "Moment2", "Moment2Max", "Beta1Pow", "Beta2Pow", "MasterParam")
    outputs = ["ParamOut", "Moment1Out", "Moment2Out", "Beta1PowOut", "Beta2PowOut", "MasterParamOut"]
    if c.all("Moment2Max"):
        outputs.append("Moment2MaxOut")
    return _each(c, "adam", inputs, ("LearningRate",), outputs)


@operator
def merged_momentum(c):
    """Gradient descent with momentum for a list of parameters."""
    inputs, outputs = ("Param", "Grad", "Velocity", "MasterParam"), ("ParamOut", "VelocityOut", "MasterParamOut")
    return _each(c, "momentum", inputs, ("LearningRate",), outputs)


@operator
def lars_momentum(c):
    """Layer-wise adaptive rates (You et al., 2017) for a list of parameters."""
    found = {"ParamOut": [], "VelocityOut": [], "MasterParamOut": []}
    decays, momentum = c.attribute("lars_weight_decay", [0.0005]), c.attribute("mu")
    coefficient, epsilon = c.attribute("lars_coeff", 0.001), c.attribute("epsilon", 0.0)
    for i, parameter in enumerate(c.all("Param")):
        masters = c.all("MasterParam")
        p = masters[i] if masters else parameter
        g = ops.cast(c.all("Grad")[i], p.dtype) * c.attribute("rescale_grad", 1.0)
        rates, decay = c.all("LearningRate"), decays[i if len(decays) > 1 else 0]
        rate = ops.cast(rates[i if len(rates) > 1 else 0], p.dtype)
        length, slope = ops.sqrt(ops.sum(p * p)), ops.sqrt(ops.sum(g * g))
        local = rate * coefficient * length / (slope + length * decay + epsilon)
        if decay > 0:
            rate = ops.where(ops.logical_and(length > 0, slope > 0), local, rate)
        velocity = c.all("Velocity")[i] * momentum + rate * (g + p * decay)
        made = p - velocity
        found["ParamOut"].append(ops.cast(made, parameter.dtype))
        found["VelocityOut"].append(velocity)
        if masters:
            found["MasterParamOut"].append(made)
    return found


@operator
def decayed_adagrad(c):
    g, decay = c.one("Grad"), c.attribute("decay", 0.95)
    moment = c.one("Moment") * decay + g * g * (1.0 - decay)
    step = c.one("LearningRate") * g / (ops.sqrt(moment) + c.attribute("epsilon", 1e-6))
    return {"ParamOut": c.one("Param") - step, "MomentOut": moment}


@operator
def ftrl(c):
    """Follow the regularised leader (McMahan et al., 2013)."""
    p, g, rate = c.one("Param"), c.one("Grad"), c.one("LearningRate")
    before, l1, l2 = c.one("SquaredAccumulator"), c.attribute("l1", 0.0), c.attribute("l2", 0.0)
    power = -c.attribute("lr_power", -0.5)
    squares = before + g * g
    root = ops.pow(squares, power)
    linear = c.one("LinearAccumulator") + g - (root - ops.pow(before, power)) / rate * p
    made = (ops.sign(linear) * l1 - linear) / (root / rate + 2.0 * l2)
    made = ops.where(ops.abs(linear) > l1, made, ops.full_like(made, 0))
    return {"ParamOut": made, "SquaredAccumOut": squares, "LinearAccumOut": linear}


@operator
def average_accumulates(c):
    """Sums of parameters over a window of updates, of which an average is made."""
    window, longest = c.attribute("average_window", 0.0), c.attribute("max_average_window", 2**63 - 1)
    shortest, block = c.attribute("min_average_window", 10000), 16384
    one, two, three = (c.one(f"in_sum_{i}") for i in (1, 2, 3))
    updates, count = c.one("in_num_updates") + 1, c.one("in_num_accumulates") + 1
    old, zero = c.one("in_old_num_accumulates"), ops.full_like(one, 0)
    one = one + c.one("param")
    full = ops.equal(updates % block, ops.full_like(updates, 0))
    one, two = ops.where(full, zero, one), ops.where(full, two + one, two)
    share = ops.cast(ops.cast(updates, _core.float32) * window, updates.dtype)
    ends = ops.logical_and(count >= shortest, count >= ops.minimum(share, ops.full_like(share, longest)))
    three = ops.where(ends, one + two, three)
    return {
        "out_sum_1": ops.where(ends, zero, one),
        "out_sum_2": ops.where(ends, zero, two),
        "out_sum_3": three,
        "out_num_accumulates": ops.where(ends, ops.full_like(count, 0), count),
        "out_old_num_accumulates": ops.where(ends, count, old),
        "out_num_updates": updates,
    }


@operator
def check_finite_and_unscale(c):
    scale, found, plain = c.one("Scale"), None, []
    for x in c.all("X"):
        bad = ops.logical_not(ops.all(ops.isfinite(x)))
        found = bad if found is None else ops.logical_or(found, bad)
        plain.append(x / ops.cast(scale, x.dtype))
    return {"Out": plain, "FoundInfinite": ops.reshape(found, [1])}


@operator
def update_loss_scaling(c):
    """The next scale of the loss: larger after many good steps, smaller after bad ones; bad gradients become 0."""
    bad, scale = c.one("FoundInfinite"), c.one("PrevLossScaling")
    good_steps, bad_steps = c.one("InGoodSteps"), c.one("InBadSteps")
    gradients = [ops.where(bad, ops.full_like(x, 0), x) for x in c.all("X")]
    if c.attribute("stop_update", False):
        return {"Out": gradients}
    zero = ops.full_like(good_steps, 0)
    good_now, bad_now = ops.where(bad, zero, good_steps + 1), ops.where(bad, bad_steps + 1, zero)
    grows = ops.equal(good_now, ops.full_like(good_now, c.attribute("incr_every_n_steps")))
    shrinks = ops.equal(bad_now, ops.full_like(bad_now, c.attribute("decr_every_n_nan_or_inf")))
    larger, smaller = scale * c.attribute("incr_ratio"), scale * c.attribute("decr_ratio")
    larger = ops.where(ops.isfinite(larger), larger, scale)
    smaller = ops.maximum(smaller, ops.full_like(smaller, 1.0))
    return {
        "Out": gradients,
        "LossScaling": ops.where(grows, larger, ops.where(shrinks, smaller, scale)),
        "OutGoodSteps": ops.where(grows, zero, good_now),
        "OutBadSteps": ops.where(shrinks, zero, bad_now),
    }
