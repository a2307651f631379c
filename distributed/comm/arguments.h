// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of the tensors that a collective is given. Each throws an Error that begins with the name
// of the argument; `named` puts the collective in front of it.
#pragma once

#include <string>

#include "paddle_core/base/error.h"
#include "paddle_core/comm/process_group.h"

namespace paddle::distributed {

inline size_t bytes_of(const Tensor& x) {
  return static_cast<size_t>(x.numel()) * size_of(x.dtype());
}
inline char* data_of(const Tensor& x) {
  return x.numel() ? static_cast<char*>(x.raw_data()) : nullptr;
}

// Has memory, and is contiguous.
void check_tensor(const char* argument, const Tensor& x);
void check_host(const char* argument, const Tensor& x);
void check_host_tensor(const char* argument, const Tensor& x);  // both
// One tensor for each member, of one dtype.
void check_list(const char* argument, const TensorList& list, size_t members, DType dtype);
void check_host_tensor(const char* argument, const TensorList& list, size_t members, DType dtype);
void check_result(const Tensor& out, DType dtype, int64_t numel);
void check_member(const char* argument, int64_t member, int64_t members);
bool overlap(const Tensor& a, const Tensor& b);

// "[0, 2]"
std::string text_of(const Ranks& ranks);

// Calls `check`; its errors are those of `collective`.
template <typename Check>
void named(const char* collective, Check&& check) {
  try {
    check();
  } catch (const Error& error) {
    throw_error(error.kind(), str(collective, ": ", error.message(), "."));
  }
}

// Gathering, scattering and reducing to one member are exchanges and reductions in which others
// have empty parts: `part` at the place of one member, `rest` for all others.
TensorList at_member(size_t members, size_t member, const Tensor& part, const Tensor& rest);
Tensor no_elements(const Tensor& like);

}  // namespace paddle::distributed
