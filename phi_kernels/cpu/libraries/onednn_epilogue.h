// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fused operators through oneDNN: epilogues as the library's post-operations, primitives kept by
// problem, weights in the order that a primitive wants.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "paddle_core/op/epilogue.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

const dnnl::engine& onednn_engine();
dnnl::stream& onednn_stream();

// A primitive and the memory that it wants.
struct FusedPrimitive {
  dnnl::primitive primitive;
  dnnl::memory::desc src, weights, bias, residual, dst, scratchpad;
};

// What the library takes: float32, and bfloat16 where the machine multiplies it.
bool is_fused_dtype(DType dtype);
dnnl::memory::data_type library_type(DType dtype);

// Element types of a problem. The weights have that of the source.
struct FusedTypes {
  int64_t src = 0, bias = 0, residual = 0, dst = 0;
};
bool is_float32(const FusedTypes& types);  // all of those that are there
FusedTypes fused_types(const Tensor& x, const Tensor& bias, const Tensor& residual,
                       const Tensor& out);

// Attributes with the steps as post-operations; the residual is as `residual` says.
dnnl::primitive_attr epilogue_attributes(const Epilogue& epilogue,
                                         const dnnl::memory::desc& residual);

// The tensors of one execution besides source, weights and result.
struct FusedArguments {
  const Epilogue& epilogue;
  dnnl::memory src, weights, dst;
  const void* bias = nullptr;
  const void* residual = nullptr;
};
void execute_fused(const FusedPrimitive& p, const FusedArguments& a);

// `t`, contiguous, in the order `wanted`; kept with the storage of `t` while its values stay.
// `own` describes its memory.
dnnl::memory packed_weights(const Tensor& t, const dnnl::memory::desc& own,
                            const dnnl::memory::desc& wanted, bool grouped, StoragePtr& holder);

// What a primitive with its description and generated code takes, in the mean; the library does not
// tell. Making one takes about 0.2 ms.
inline constexpr size_t kPrimitiveBytes = size_t{32} << 10;

// Primitives by the bytes of their description; the least recently used goes first.
class FusedCache {
 public:
  template <typename Create>
  std::shared_ptr<const FusedPrimitive> get(const std::string& key, Create&& create) {
    if (auto found = find(key)) return found;
    return insert(key, std::make_shared<const FusedPrimitive>(create()));
  }

 private:
  static constexpr size_t kCapacity = (size_t{8} << 20) / kPrimitiveBytes;
  using Entry = std::pair<std::string, std::shared_ptr<const FusedPrimitive>>;
  std::shared_ptr<const FusedPrimitive> find(const std::string& key);
  std::shared_ptr<const FusedPrimitive> insert(const std::string& key,
                                               std::shared_ptr<const FusedPrimitive> made);
  std::mutex mutex_;
  std::list<Entry> order_;
  std::unordered_map<std::string, std::list<Entry>::iterator> map_;
};
FusedCache& fused_cache();

// Appends the bytes of a plain value to a key.
template <typename T>
void append_bytes(std::string& key, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace paddle::cpu
