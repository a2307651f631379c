// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calling an operator. call() ors the modes of the thread and of the argument tensors; when no
// layer is interested it infers shapes, allocates and runs the kernel. Otherwise the layers see the
// call from the outside in: views, AMP, autograd, then capture or execution.
//
// `args` has op.num_args slots. `outs` is resized to op.num_results (or to the length of the list).
#pragma once

#include "paddle_core/dispatch/state.h"
#include "paddle_core/op/op_def.h"

namespace paddle {

using Outputs = SmallVector<Tensor, 3>;

PADDLE_API void call(const OpDef& op, const Slot* args, Outputs& outs);

// Writes the first result into the memory and history of argument 0 (x.add_(y)); a view of it, or
// another dtype, replaces it (x.t_(), x.less_(y)). ValueError for a leaf that needs a gradient, and
// when the shape of the result does not fit.
PADDLE_API Tensor call_inplace(const OpDef& op, const Slot* args);
// Makes `target` hold `value` (same shape; cast to its dtype) as an in-place write: memory,
// version, history of target, of its base and of all views of it; capture rebinds instead of
// writing.
PADDLE_API void assign_inplace(const Tensor& target, const Tensor& value, const char* op_name);

// Makes `target` be `value`: its memory, shape, dtype and history (x.reshape_(), x.cast_()).
PADDLE_API void rebind_inplace(const Tensor& target, const Tensor& value, const char* op_name);

// What stands behind rebind_inplace; `view` and `args` name the operator by which value is a view
// of target, or are null. Installed by autograd.
using InplaceRebindFn = void (*)(const Tensor& target, const Tensor& value, const OpDef* view,
                                 const Slot* args, const char* op_name);
PADDLE_API void set_inplace_rebind(InplaceRebindFn fn);
// What stands behind assign_inplace when history or a capture is concerned; installed by autograd.
using InplaceWriteFn = void (*)(const Tensor& target, const Tensor& value, const char* op_name);
PADDLE_API void set_inplace_write(InplaceWriteFn fn);
// The same value with the same history in a tensor of its own, with `copy` also in memory of its
// own; a leaf that needs a gradient as it is. Installed by autograd.
using AliasFn = Tensor (*)(const Tensor& t, bool copy);
PADDLE_API void set_alias_with_history(AliasFn fn);
// Called with every new alias; installed by autograd.
using ViewRecordFn = void (*)(const Tensor& view, const OpDef& op, const Slot* args);
PADDLE_API void set_view_recorder(ViewRecordFn fn);

// Infer, allocate, select the kernel, run: what stands below every layer. `donated`: bit per
// argument that is a tensor nobody reads afterwards, in memory of its own; the result may take that
// memory.
PADDLE_API void execute(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated = 0);
// Only the shape rule: outs become meta tensors.
PADDLE_API void infer_meta(const OpDef& op, const Slot* args, Outputs& outs);
// The same where numbers may be given as tensors, which have values then.
PADDLE_API void infer_with_values(const OpDef& op, const Slot* args, Outputs& outs);
// Where tensors are given for numbers, calls the operator with their values; false where none is.
PADDLE_API bool call_with_numbers(const OpDef& op, const Slot* args, Outputs& outs);
// Where the results of a call are made, of which shape rules say nothing: the Place argument, else
// the place of the tensors, else the default place.
PADDLE_API Place place_of_results(const OpDef& op, const Slot* args);

// -- layers ------------------------------------------------------------------------------------
// A layer handles the call or changes the arguments and calls on with its bit cleared.
using LayerFn = void (*)(const OpDef& op, const Slot* args, Outputs& outs);
// Installed once at start, one function per ModeBit.
PADDLE_API void install_layer(ModeBit bit, LayerFn fn);

// What a capture in progress does with calls and writes; installed on the thread by capture.
class PADDLE_API CaptureSink {
 public:
  virtual ~CaptureSink() = default;
  // Appends the operation; outs become meta tensors that stand for its results.
  virtual void record(const OpDef& op, const Slot* args, Outputs& outs) = 0;
  // From here on `target` stands for `value` (an in-place write of a tensor that is no view).
  virtual void rebind(const Tensor& target, const Tensor& value) = 0;
  // A gradient was accumulated into a leaf during capture.
  virtual void set_grad(const Tensor& leaf, const Tensor& grad) = 0;
  // The user asks for a value (item(), bool(), numpy()): raises, naming the user's line.
  [[noreturn]] virtual void value_requested(const Tensor& t, const char* what) = 0;
  // Whole numbers that are given as a tensor without values, or as several: extents that a run of
  // the program tells. Raises where the program has none.
  virtual Shape extents_given(const OpDef& op, const Slot* args, int arg);
};
PADDLE_API CaptureSink* capture_sink();
PADDLE_API void set_capture_sink(CaptureSink* sink);  // nullptr to end; sets kModeCapture in `on`

// Observers of executed operators (profiler, NaN check), behind kModeCheck.
using ObserverFn = void (*)(const OpDef& op, const Slot* args, const Outputs& outs,
                            int64_t begin_ns, int64_t end_ns);
PADDLE_API void set_observer(ObserverFn fn);

}  // namespace paddle
