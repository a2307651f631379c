// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `ProcessGroup`: collectives among some ranks of a job, as one member sees them. All members call
// the same collectives in the same order; a member that calls another one, or leaves, is a
// RuntimeError on all members, which names the rank, both calls and their shapes.
//
// Tensors are contiguous, and results have their memory. Sums are taken in the order of the ranks,
// those of 16-bit floats in float32, so every member holds the same bits.
//
// Messages between two members are apart from the collectives: they arrive in the order in which
// they were sent, and sending never waits for a call of the receiver.
#pragma once

#include <atomic>
#include <memory>

#include "paddle_core/op/slot.h"
#include "paddle_core/sharding/dist_attr.h"

namespace paddle {

class PADDLE_API ProcessGroup {
 public:
  ProcessGroup(Ranks ranks, int64_t index) : ranks_(std::move(ranks)), index_(index) {}
  virtual ~ProcessGroup() = default;

  const Ranks& ranks() const { return ranks_; }
  int64_t size() const { return static_cast<int64_t>(ranks_.size()); }
  int64_t index() const { return index_; }  // of this member in ranks()

  virtual void all_reduce(const Tensor& x, const Tensor& out, ReduceKind kind) = 0;
  // outs[i] receives what member i gives; shapes may differ.
  virtual void all_gather(const Tensor& x, const TensorList& outs) = 0;
  // Member i receives the reduction of everybody's parts[i].
  virtual void reduce_scatter(const TensorList& parts, const Tensor& out, ReduceKind kind) = 0;
  // Member i receives parts[i] of member k as outs[k].
  virtual void all_to_all(const TensorList& parts, const TensorList& outs) = 0;
  // Everybody's x becomes that of the member with index `root`.
  virtual void broadcast(const Tensor& x, int64_t root) = 0;
  virtual void barrier() = 0;
  // The member with index `root` has the reduction as `out`, which the others do not need.
  virtual void reduce(const Tensor& x, const Tensor& out, ReduceKind kind, int64_t root) = 0;
  // The member `root` receives what member i gives as outs[i]; shapes may differ. Others have none.
  virtual void gather(const Tensor& x, const TensorList& outs, int64_t root) = 0;
  // Member i receives parts[i] of the member `root`; others have none.
  virtual void scatter(const TensorList& parts, const Tensor& out, int64_t root) = 0;

  // Returns when x may be changed.
  virtual void send(const Tensor& x, int64_t member) = 0;
  // The next message of a member. RuntimeError when it has another dtype or number of elements than
  // `out`, or nothing is sent within the time limit; the message is taken in the first case.
  virtual void recv(const Tensor& out, int64_t member) = 0;
  // The same as a new tensor of the dtype and shape that was sent, in memory of the host.
  virtual Tensor recv_any(int64_t member) = 0;

  // What this member has handed to others so far: what it gives to a broadcast or an all-gather
  // counts once for each other member, in a reduction by reduce-scatter and all-gather as
  // 2 (n - 1) / n of the tensor.
  uint64_t bytes_sent() const { return bytes_sent_; }

 protected:
  void count_bytes(uint64_t bytes) { bytes_sent_ += bytes; }

 private:
  Ranks ranks_;
  int64_t index_;
  std::atomic<uint64_t> bytes_sent_{0};
};

// Combines parts[0], parts[1], ... of `count` elements in this order. NotImplementedError for
// complex numbers other than sum, product and mean, TypeError for a mean of integers or booleans.
using ReduceFn = void (*)(const void* const* parts, size_t num_parts, void* out, int64_t count,
                          DType dtype, ReduceKind kind);

}  // namespace paddle
