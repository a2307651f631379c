// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sharding rules that records name in spmd(), beyond what a line of the notation says.
#pragma once

#include "paddle_core/op/spmd.h"

namespace paddle::ops::sharding {

// Elementwise, and linear in both operands together (add), in each alone (multiply), in the first
// (divide), or a copy (assign).
void sum_of_two(Spmd& s);
void product(Spmd& s);
void quotient(Spmd& s);
void copy(Spmd& s);
// Nothing is split.
void whole(Spmd& s);
// scale: linear where nothing is added.
void scale(Spmd& s);
// Every element of the result is set; argument 0 tells the shape.
void filled(Spmd& s);
// Updates of optimizers, element by element of the parameter.
void update(Spmd& s);

void sum(Spmd& s);
void max(Spmd& s);
void min(Spmd& s);
void prod(Spmd& s);
void any(Spmd& s);
void all(Spmd& s);

void matmul(Spmd& s);
void transpose(Spmd& s);
// Every dimension that begins a group of equal extent on both sides; `reshape` passes on its shape.
void reshape(Spmd& s);
void same_elements(Spmd& s);
void squeeze(Spmd& s);
void expand(Spmd& s);
void concat(Spmd& s);
void stack(Spmd& s);
void split(Spmd& s);
void slice(Spmd& s);
// All dimensions but the one that argument `axis` names.
void along_axis(Spmd& s);
// Rows of normalisations and their gradients: the dimensions before the normalised ones; gradients
// of scale and bias are summed over them.
void layer_norm(Spmd& s);
void rms_norm(Spmd& s);
// Batches and heads, and queries where nothing depends on their position.
void attention(Spmd& s);
void attention_grad(Spmd& s);

}  // namespace paddle::ops::sharding
