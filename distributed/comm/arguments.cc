// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/arguments.h"

namespace paddle::distributed {

void check_tensor(const char* argument, const Tensor& x) {
  PADDLE_CHECK_VALUE(x.defined() && x.has_storage(), argument, " has no memory");
  PADDLE_CHECK_VALUE(x.is_contiguous(), argument, " of shape ", x.shape(),
                     " is not contiguous; give a contiguous copy of it");
}

void check_host(const char* argument, const Tensor& x) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, x.place().is_host(), argument,
                    " lies on a device; ranks exchange memory of the host, so copy it there");
}

void check_list(const char* argument, const TensorList& list, size_t members, DType dtype) {
  PADDLE_CHECK_VALUE(list.size() == members, argument, " has ", list.size(),
                     " entries; it must have one for each of the ", members, " members");
  for (const Tensor& x : list) {
    check_tensor(argument, x);
    PADDLE_CHECK_TYPE(x.dtype() == dtype, argument, " has tensors of dtypes ", dtype, " and ",
                      x.dtype(), "; they must have one dtype");
  }
}

void check_host_tensor(const char* argument, const Tensor& x) {
  check_tensor(argument, x);
  check_host(argument, x);
}

void check_host_tensor(const char* argument, const TensorList& list, size_t members, DType dtype) {
  check_list(argument, list, members, dtype);
  for (const Tensor& x : list) check_host(argument, x);
}

void check_result(const Tensor& out, DType dtype, int64_t numel) {
  check_tensor("out", out);
  PADDLE_CHECK_VALUE(out.dtype() == dtype && out.numel() == numel, "out is ", out.dtype(), " of ",
                     out.numel(), " elements; the result is ", dtype, " of ", numel);
}

void check_member(const char* argument, int64_t member, int64_t members) {
  PADDLE_CHECK_VALUE(member >= 0 && member < members, argument, " has value ", member,
                     "; it must be the index of one of the ", members, " members");
}

bool overlap(const Tensor& a, const Tensor& b) {
  const char *const x = data_of(a), *const y = data_of(b);
  return x && y && x < y + bytes_of(b) && y < x + bytes_of(a);
}

std::string text_of(const Ranks& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i) text += str(i ? ", " : "", ranks[i]);
  return text + "]";
}

TensorList at_member(size_t members, size_t member, const Tensor& part, const Tensor& rest) {
  TensorList list;
  for (size_t i = 0; i < members; ++i) list.push_back(i == member ? part : rest);
  return list;
}

Tensor no_elements(const Tensor& like) { return Tensor::empty({0}, like.dtype(), like.place()); }

}  // namespace paddle::distributed
