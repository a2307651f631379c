// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/tensor/sharded_part.h"

#include <atomic>

namespace paddle {
namespace {

std::atomic<RankFn> g_rank{nullptr};

void check_part(const Shape& shape, const DistAttr& attr, const Tensor& local) {
  const int64_t position = own_position(*attr.mesh());
  if (position < 0) return;
  const Shape expected = local_shape(shape, attr, position);
  PADDLE_CHECK_VALUE(local.defined() && local.shape() == expected, "a part of shape ",
                     local.defined() ? str(local.shape()) : std::string("(none)"),
                     " was given for a tensor of shape ", shape, " with ", attr,
                     "; this rank's part has shape ", expected, ".");
}

}  // namespace

void set_rank_of_thread(RankFn fn) { g_rank = fn; }

int64_t own_position(const ProcessMesh& mesh) {
  const RankFn fn = g_rank.load(std::memory_order_acquire);
  return mesh.position_of(fn ? fn() : 0);
}

Tensor make_sharded(const Shape& shape, DType dtype, const DistAttr* attr, Tensor local) {
  Tensor t(IntrusivePtr<TensorImpl>::adopt(TensorImpl::create()));
  become_sharded(t, shape, dtype, attr, std::move(local));
  return t;
}

void become_sharded(const Tensor& t, const Shape& shape, DType dtype, const DistAttr* attr,
                    Tensor local) {
  check_part(shape, *attr, local);
  t->ensure_logical_order();
  t->storage = StoragePtr();
  t->offset = 0;
  t->shape = shape;
  t->dtype = dtype;
  t->place = local.defined() ? local.place() : Place();
  t->set_contiguous_layout();
  t->strides.clear();
  t->keys |= kModeSharded;
  if (!t->sharded) t->sharded = new ShardedPart;
  *t->sharded = {attr, std::move(local)};
}

Tensor share_parts(const Tensor& t, bool copied) {
  Tensor local = local_part(t);
  if (local.defined()) {
    if (copied && local.has_storage()) {
      const Tensor own = Tensor::empty(local.shape(), local.dtype(), local.place());
      own.copy_data_from(local);
      local = own;
    } else {
      local = local.detach();
    }
  }
  return make_sharded(t.shape(), t.dtype(), dist_attr_of(t), std::move(local));
}

Tensor sharded_meta(const Shape& shape, DType dtype, const DistAttr* attr, Place place) {
  const int64_t position = own_position(*attr->mesh());
  Tensor local;
  if (position >= 0) local = Tensor::meta(local_shape(shape, *attr, position), dtype, place);
  return make_sharded(shape, dtype, attr, std::move(local));
}

Tensor sharded_full(const Tensor& like, const Scalar& value) {
  const Tensor& part = local_part(like);
  Tensor local;
  if (part.defined()) local = Tensor::full(part.shape(), value, part.dtype(), part.place());
  return make_sharded(like.shape(), like.dtype(), dist_attr_of(like), std::move(local));
}

void refuse_sharded(const TensorImpl& t, const char* what) {
  throw_error(ErrorKind::kRuntime,
              str(what, ": the tensor of shape ", t.shape, " is distributed, ", *t.sharded->attr,
                  "; this rank has a part of it and no memory of the whole. Use "
                  "paddle.distributed.unshard_dtensor(x) for the whole, or x._local_value() for "
                  "the part."));
}

}  // namespace paddle
