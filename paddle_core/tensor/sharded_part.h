// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Distributed tensors. Such a tensor has the shape of the whole and no memory of its own: it owns a
// local tensor, this rank's part (TensorImpl::sharded), and asks for the layer kModeSharded.
// Whoever asks it for a pointer, strides or DLPack gets an error.
#pragma once

#include "paddle_core/sharding/dist_attr.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle {

struct ShardedPart {
  const DistAttr* attr = nullptr;
  Tensor local;  // undefined on a rank outside of the mesh
};

inline const DistAttr* dist_attr_of(const TensorImpl& t) {
  return t.sharded ? t.sharded->attr : nullptr;
}
// Null for a plain tensor.
inline const DistAttr* dist_attr_of(const Tensor& t) { return dist_attr_of(*t.impl()); }
inline const Tensor& local_part(const Tensor& t) { return t->sharded->local; }

// `local` is this rank's part of a tensor of this shape.
PADDLE_API Tensor make_sharded(const Shape& shape, DType dtype, const DistAttr* attr, Tensor local);
// The tensor object becomes that distributed tensor; history, names and flags stay.
PADDLE_API void become_sharded(const Tensor& t, const Shape& shape, DType dtype,
                               const DistAttr* attr, Tensor local);
// The same parts in another tensor object without history; `copied`: in other memory.
PADDLE_API Tensor share_parts(const Tensor& t, bool copied = false);
// Shape, dtype and placement without values.
PADDLE_API Tensor sharded_meta(const Shape& shape, DType dtype, const DistAttr* attr, Place place);
// Every element of the part is the scalar.
PADDLE_API Tensor sharded_full(const Tensor& like, const Scalar& value);
// RuntimeError: `what` needs the memory of the whole.
[[noreturn]] PADDLE_API void refuse_sharded(const TensorImpl& t, const char* what);

// The position of the thread's rank in the mesh of a distributed tensor, -1 outside of it. What
// stands behind it is installed by comm/.
using RankFn = int64_t (*)();
PADDLE_API void set_rank_of_thread(RankFn fn);
PADDLE_API int64_t own_position(const ProcessMesh& mesh);

}  // namespace paddle
