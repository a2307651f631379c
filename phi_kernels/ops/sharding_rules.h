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
void paged_attention(Spmd& s);
void paged_cache_write(Spmd& s);

// -- along axes: all dimensions but some (sharding_axes.cc) ------------------------------------
// Strict forms of along_axis: another tensor has the dimensions at the same places, with or without
// the axis, or they are whole.
void one_axis(Spmd& s);     // `axis` or `dim`; all are whole where `flatten` is set
void running_sum(Spmd& s);  // ... of a linear operator
void recurrence(Spmd& s);   // ... that is linear in argument 1
void rows(Spmd& s);         // the last axis is whole
void every_dim(Spmd& s);    // no axis is whole; nothing broadcasts
void samples(Spmd& s);      // the first dimension of every tensor
void matrices(Spmd& s);     // the dimensions before the last two of argument 0
void triangle(Spmd& s);     // ... and those: the diagonal moves with the part
void equations(Spmd& s);    // ... linear in the right sides, argument 1
void log_determinants(Spmd& s);
void fourier(Spmd& s);  // the axes are a list `axes`
void strided_slice(Spmd& s);
void slice_scatter(Spmd& s);
void diagonal(Spmd& s);
void fill_diagonal(Spmd& s);  // rows: the offset moves with them
void fill_diagonal_tensor(Spmd& s);
void windows_of_axis(Spmd& s);
void bytes_as_dtype(Spmd& s);
void frame(Spmd& s);
void overlap_add(Spmd& s);
void batch_of_sequences(Spmd& s);  // [time, batch, ...]
void counts_of_values(Spmd& s);    // histograms of parts are added
void shapes(Spmd& s);              // no value is read, so that nothing has to move
void drawn_rows(Spmd& s);
void drawn_evenly(Spmd& s);

// -- by position (sharding_indexing.cc)
// ------------------------------------------------------------
void gather(Spmd& s);
void gather_nd(Spmd& s);
void take_along_axis(Spmd& s);
void index_add(Spmd& s);
void scatter_nd_add(Spmd& s);
void index_put(Spmd& s);
void put_along_axis(Spmd& s);
void searchsorted(Spmd& s);

// -- images: samples and channels (sharding_windows.cc) ------------------------------------------
void conv(Spmd& s);
void conv_grad_input(Spmd& s);
void conv_grad_filter(Spmd& s);
void conv_transpose(Spmd& s);
void channels(Spmd& s);
void channels_linear(Spmd& s);
void pool(Spmd& s);
void drawn_channels(Spmd& s);
void unfold(Spmd& s);
void fold(Spmd& s);
void roi_align(Spmd& s);
void roi_align_grad(Spmd& s);
void roi_pool(Spmd& s);
void psroi_pool(Spmd& s);
void psroi_pool_grad(Spmd& s);
void box_coder(Spmd& s);
void merge_near_boxes(Spmd& s);

// -- quantised weights: outputs and rows ---------------------------------------------------------
void code_outputs(Spmd& s);
void int8_outputs(Spmd& s);
void block_rows(Spmd& s);
void packed_rows(Spmd& s);

// An operator that writes arguments runs as its decomposition, whose results are then written.
void by_decomposition(Spmd& s);

}  // namespace paddle::ops::sharding
