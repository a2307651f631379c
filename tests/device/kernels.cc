// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels in C: each is a function of plain structs and a user pointer. One thunk, registered for
// all of them, turns the framework's view of a call into that and issues it on the call's stream.
#include "tests/device/kernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "paddle_core/op/registry.h"
#include "tests/device/memory.h"
#include "tests/device/stream.h"

extern "C" {

// A tensor as a kernel in C sees it. `allocation` is translated; elements begin at `offset` bytes.
struct LaggingTensor {
  void* allocation;
  int64_t offset;
  int32_t rank;
  int64_t shape[16];
};
struct LaggingCall {
  struct LaggingTensor in[2];
  struct LaggingTensor out;
  double scalar;
};
typedef void (*LaggingKernel)(void* user, const struct LaggingCall* call);

}  // extern "C"

namespace paddle::lagging {
namespace {

std::atomic<long long> g_launches{0}, g_channels_last{0};

struct Entry {
  LaggingKernel run;
  void* user;
  int inputs;
  int scalar_arg;  // position of a Scalar, or -1
};

LaggingTensor view(const TensorImpl& t) {
  LaggingTensor v{};
  const KernelContext::Memory memory = KernelContext::memory_of(t);
  v.allocation = t.numel == 0 ? nullptr : translated(memory.allocation);
  v.offset = memory.offset;
  v.rank = static_cast<int32_t>(t.shape.size());
  for (size_t d = 0; d < t.shape.size(); ++d) v.shape[d] = t.shape[d].value();
  return v;
}

void thunk(KernelContext& k) {
  const auto* entry = static_cast<const Entry*>(k.user());
  LaggingCall call{};
  for (int i = 0; i < entry->inputs; ++i) call.in[i] = view(k.in(i));
  call.out = view(k.out(0));
  if (entry->scalar_arg >= 0) call.scalar = k.scalar(entry->scalar_arg).to_double();
  g_launches.fetch_add(1);
  auto& stream = static_cast<LaggingStream&>(k.device().stream());
  stream.issue([call, entry] { entry->run(entry->user, &call); });
}

float* data(const LaggingTensor& t) {
  return reinterpret_cast<float*>(static_cast<char*>(t.allocation) + t.offset);
}

int64_t count(const LaggingTensor& t) {
  int64_t n = 1;
  for (int32_t d = 0; d < t.rank; ++d) n *= t.shape[d];
  return n;
}

// The element of a broadcast input that belongs to element `i` of the output.
int64_t broadcast_index(const LaggingTensor& in, const LaggingTensor& out, int64_t i) {
  int64_t at = 0, step = 1;
  for (int32_t d = out.rank - 1; d >= 0; --d) {
    const int64_t position = i % out.shape[d];
    i /= out.shape[d];
    const int32_t own = d - (out.rank - in.rank);
    if (own < 0) break;
    if (in.shape[own] != 1) at += position * step;
    step *= in.shape[own];
  }
  return at;
}

using Binary = float (*)(float, float);
using Unary = float (*)(float);

void binary(void* user, const LaggingCall* c) {
  const auto fn = reinterpret_cast<Binary>(user);
  for (int64_t i = 0, n = count(c->out); i < n; ++i) {
    data(c->out)[i] = fn(data(c->in[0])[broadcast_index(c->in[0], c->out, i)],
                         data(c->in[1])[broadcast_index(c->in[1], c->out, i)]);
  }
}

void unary(void* user, const LaggingCall* c) {
  const auto fn = reinterpret_cast<Unary>(user);
  for (int64_t i = 0, n = count(c->out); i < n; ++i) data(c->out)[i] = fn(data(c->in[0])[i]);
}

void fill(void*, const LaggingCall* c) {
  for (int64_t i = 0, n = count(c->out); i < n; ++i) {
    data(c->out)[i] = static_cast<float>(c->scalar);
  }
}

struct Named {
  const char* name;
  void* fn;
};

template <typename Fn>
Named named(const char* name, Fn* fn) {
  return {name, reinterpret_cast<void*>(fn)};
}

// Products of matrices, with leading axes that broadcast; vectors are rows and columns.
struct Matrices {
  const float* data;
  std::vector<int64_t> batch;
  int64_t rows, columns;
  bool transposed;
  float at(int64_t matrix, int64_t row, int64_t column) const {
    const int64_t inner = transposed ? column * columns + row : row * columns + column;
    return data[matrix * rows * columns + inner];
  }
};

const char* address_of(const TensorImpl& t) {
  return t.numel == 0 ? nullptr : static_cast<char*>(translated(t.storage->data())) + t.offset;
}

Matrices matrices_of(const TensorImpl& t, bool transposed, bool left) {
  std::vector<int64_t> shape;
  for (const Dim d : t.shape) shape.push_back(d.value());
  Matrices m{reinterpret_cast<const float*>(address_of(t)), {}, 0, 0, transposed};
  if (shape.size() == 1) {  // transposition does not concern vectors
    m.transposed = false;
    shape.insert(left ? shape.begin() : shape.end(), 1);
  }
  m.columns = shape.back();
  shape.pop_back();
  m.rows = shape.back();
  shape.pop_back();
  m.batch = shape;
  return m;
}

int64_t matrix_at(const std::vector<int64_t>& own, const std::vector<int64_t>& all, int64_t i) {
  int64_t at = 0, step = 1;
  for (size_t d = 1; d <= all.size(); ++d) {
    const int64_t extent = all[all.size() - d], position = i % extent;
    i /= extent;
    if (d > own.size()) continue;
    if (own[own.size() - d] != 1) at += position * step;
    step *= own[own.size() - d];
  }
  return at;
}

void matmul_thunk(KernelContext& k) {
  const TensorImpl& out = k.out(0);
  if (out.numel == 0) return;
  const Matrices a = matrices_of(k.in(0), k.b(2), true), b = matrices_of(k.in(1), k.b(3), false);
  auto* result = reinterpret_cast<float*>(const_cast<char*>(address_of(out)));
  std::vector<int64_t> batch(std::max(a.batch.size(), b.batch.size()));
  for (size_t d = 0; d < batch.size(); ++d) batch[d] = out.shape[d].value();
  const int64_t m = a.transposed ? a.columns : a.rows, depth = a.transposed ? a.rows : a.columns;
  const int64_t n = b.transposed ? b.rows : b.columns;
  g_launches.fetch_add(1);
  static_cast<LaggingStream&>(k.device().stream()).issue([=] {
    int64_t matrices = 1;
    for (const int64_t extent : batch) matrices *= extent;
    for (int64_t i = 0; i < matrices * m * n; ++i) {
      const int64_t matrix = i / (m * n), row = i / n % m, column = i % n;
      const int64_t x = matrix_at(a.batch, batch, matrix), y = matrix_at(b.batch, batch, matrix);
      double sum = 0;
      for (int64_t d = 0; d < depth; ++d) sum += double{a.at(x, row, d)} * b.at(y, d, column);
      result[i] = static_cast<float>(sum);
    }
  });
}

// Counts the calls with channels last.
void pixel_shuffle_thunk(KernelContext& k) {
  const TensorImpl &in = k.in(0), &out = k.out(0);
  const bool last = k.text(2) == "NHWC";
  const int64_t r = k.i(1), channels = out.shape[last ? 3 : 1].value(), numel = out.numel;
  const int64_t height = out.shape[last ? 1 : 2].value(), width = out.shape[last ? 2 : 3].value();
  const auto* from = reinterpret_cast<const float*>(address_of(in));
  auto* to = reinterpret_cast<float*>(const_cast<char*>(address_of(out)));
  g_launches.fetch_add(1);
  if (last) g_channels_last.fetch_add(1);
  static_cast<LaggingStream&>(k.device().stream()).issue([=] {
    const int64_t rows = height / r, columns = width / r, inner = channels * r * r;
    for (int64_t i = 0; i < numel; ++i) {
      const int64_t n = i / (channels * height * width), rest = i % (channels * height * width);
      const int64_t c = last ? rest % channels : rest / (height * width);
      const int64_t h = last ? rest / channels / width : rest / width % height;
      const int64_t w = last ? rest / channels % width : rest % width;
      const int64_t read = c * r * r + h % r * r + w % r, y = h / r, x = w / r;
      to[i] = from[last ? ((n * rows + y) * columns + x) * inner + read
                        : ((n * inner + read) * rows + y) * columns + x];
    }
  });
}

template <typename T>
Scalar loaded(const char* from) {
  T v;
  std::memcpy(&v, from, sizeof v);
  if constexpr (std::is_same_v<T, bool>) {
    return v;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(v);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return std::complex<double>(v);
  } else {
    return static_cast<double>(v);
  }
}

template <typename T>
void stored(char* to, const Scalar& value) {
  const T v = value.to<T>();
  std::memcpy(to, &v, sizeof v);
}

// One element with its dtype changed.
void convert(char* to, DType a, const char* from, DType b) {
  Scalar value;
  switch (b) {
#define PADDLE_LOAD(T, name) \
  case DType::name:          \
    value = loaded<T>(from); \
    break;
    PADDLE_FOR_ALL_DTYPES(PADDLE_LOAD)
#undef PADDLE_LOAD
    case DType::kUndefined:
      return;
  }
  switch (a) {
#define PADDLE_STORE(T, name) \
  case DType::name:           \
    return stored<T>(to, value);
    PADDLE_FOR_ALL_DTYPES(PADDLE_STORE)
#undef PADDLE_STORE
    case DType::kUndefined:
      return;
  }
}

void strided_copy(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) return;
  std::vector<int64_t> sizes;
  for (const Dim d : dst.shape()) sizes.push_back(d.value());
  const std::vector<int64_t> to_strides(dst.strides().begin(), dst.strides().end());
  const std::vector<int64_t> from_strides(src.strides().begin(), src.strides().end());
  char* const to = const_cast<char*>(address_of(*dst.impl()));
  const char* const from = address_of(*src.impl());
  const DType a = dst.dtype(), b = src.dtype();
  const int64_t n = dst.numel();
  auto& stream = static_cast<LaggingStream&>(current_stream(dst.place()));
  stream.issue([=] {
    const auto to_bytes = static_cast<int64_t>(size_of(a));
    const auto from_bytes = static_cast<int64_t>(size_of(b));
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, x = 0, y = 0;
      for (size_t d = sizes.size(); d-- > 0;) {
        const int64_t position = rest % sizes[d];
        rest /= sizes[d];
        x += position * to_strides[d];
        y += position * from_strides[d];
      }
      if (a == b) {
        std::memcpy(to + x * to_bytes, from + y * from_bytes, size_of(a));
      } else {
        convert(to + x * to_bytes, a, from + y * from_bytes, b);
      }
    }
  });
}

// cast, assign, reshape: strided copies under another name, of elements in the order of x.
void copy_thunk(KernelContext& k) {
  g_launches.fetch_add(1);
  const Tensor out(IntrusivePtr<TensorImpl>::share(&k.out(0))), x = k.in_tensor(0);
  strided_copy(Tensor::alias(out, x.shape(), contiguous_strides(x.shape()), 0), x);
}

}  // namespace

void register_kernels(Place place) {
  Registry& registry = Registry::global();
  const auto add = [&](const char* op, Entry entry) {
    registry.kernel(op, place, {DType::kFloat32},
                    Kernel{thunk, /*strided=*/false, new Entry(entry)});
  };
  const Named binaries[] = {
      named(
          "add", +[](float a, float b) { return a + b; }),
      named(
          "subtract", +[](float a, float b) { return a - b; }),
      named(
          "multiply", +[](float a, float b) { return a * b; }),
      named(
          "divide", +[](float a, float b) { return a / b; }),
      named(
          "maximum", +[](float a, float b) { return a != a || a > b ? a : b; }),
  };
  for (const Named& n : binaries) add(n.name, {binary, n.fn, 2, -1});
  const Named unaries[] = {
      named(
          "exp", +[](float a) { return std::exp(a); }),
      named(
          "log", +[](float a) { return std::log(a); }),
      named(
          "sqrt", +[](float a) { return std::sqrt(a); }),
      named(
          "tanh", +[](float a) { return std::tanh(a); }),
      named(
          "sin", +[](float a) { return std::sin(a); }),
      named(
          "cos", +[](float a) { return std::cos(a); }),
  };
  for (const Named& n : unaries) add(n.name, {unary, n.fn, 1, -1});
  add("full", {fill, nullptr, 0, 1});
  add("full_like", {fill, nullptr, 0, 1});
  registry.kernel("pixel_shuffle", place, {DType::kFloat32}, Kernel{pixel_shuffle_thunk});
  registry.kernel("matmul", place, {DType::kFloat32}, Kernel{matmul_thunk});
#define PADDLE_COPY_KERNELS(T, name)                                                     \
  registry.kernel("cast", place, {DType::name}, Kernel{copy_thunk, /*strided=*/true});   \
  registry.kernel("assign", place, {DType::name}, Kernel{copy_thunk, /*strided=*/true}); \
  registry.kernel("reshape", place, {DType::name}, Kernel{copy_thunk, /*strided=*/true});
  PADDLE_FOR_ALL_DTYPES(PADDLE_COPY_KERNELS)
#undef PADDLE_COPY_KERNELS
  set_strided_copy(place, strided_copy);
}

}  // namespace paddle::lagging

extern "C" long long lagging_launches() { return paddle::lagging::g_launches.load(); }
extern "C" long long lagging_channels_last() { return paddle::lagging::g_channels_last.load(); }
