/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensors, and copies between strides and dtypes. */
#include "array.h"

#include <math.h>
#include <string.h>

size_t size_of_dtype(int32_t dtype) {
  static const size_t sizes[] = {0, 1, 1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16};
  return sizes[dtype];
}

PdError* array_of(const PdTensor* tensor, Array* array) {
  SKELETON_CHECK(tensor->rank <= SKELETON_MAX_RANK, PD_ERROR_NOT_IMPLEMENTED,
                 "a tensor has %d axes; at most %d are known.", (int)tensor->rank,
                 SKELETON_MAX_RANK);
  array->dtype = tensor->dtype;
  array->rank = tensor->rank;
  array->count = tensor->count;
  int64_t last = 0;
  for (int32_t d = 0; d < tensor->rank; ++d) {
    array->shape[d] = tensor->shape[d];
    array->strides[d] = tensor->strides[d];
    if (tensor->strides[d] > 0) last += (tensor->shape[d] - 1) * tensor->strides[d];
  }
  const int64_t bytes = (last + 1) * (int64_t)size_of_dtype(tensor->dtype);
  array->data = tensor->count == 0 ? NULL
                : tensor->memory   ? skeleton_bytes(tensor->memory, tensor->offset, bytes)
                                   : (char*)tensor->host;
  return NULL;
}

/* Floats of few bits: `exponent` and `mantissa` say how many each has. float8_e4m3fn has no
 * infinity, and is too large from its only NaN on. */
static double unpacked(unsigned bits, int exponent, int mantissa, int finite) {
  const int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1;
  const int power = (int)(bits >> mantissa) & top;
  const unsigned fraction = bits & ((1u << mantissa) - 1u);
  double value =
      ldexp(fraction + (power ? 1u << mantissa : 0u), (power ? power : 1) - bias - mantissa);
  if (power == top && !finite) value = fraction ? NAN : INFINITY;
  if (power == top && finite && fraction == (1u << mantissa) - 1u) value = NAN;
  return bits >> (exponent + mantissa) & 1u ? -value : value;
}

static unsigned packed(double value, int exponent, int mantissa, int finite) {
  const int bias = (1 << (exponent - 1)) - 1;
  const unsigned all = (1u << (exponent + mantissa)) - 1u;
  const unsigned limit = finite ? all : all - ((1u << mantissa) - 1u);
  const unsigned sign = signbit(value) ? all + 1u : 0u;
  if (isnan(value)) return sign | all;
  if (value == 0) return sign;
  if (isinf(value)) return sign | limit;
  int power;
  frexp(value, &power);
  const int scale = (power - 1 > 1 - bias ? power - 1 : 1 - bias);
  const double steps = nearbyint(ldexp(fabs(value), mantissa - scale)); /* half to even */
  const double bits = ldexp(scale + bias - 1, mantissa) + steps;
  return sign | (bits < limit ? (unsigned)bits : limit);
}

typedef struct Number {
  int64_t i;
  double re, im;
  int whole;
} Number;

#define FOR_WHOLE(X)   \
  X(PD_UINT8, uint8_t) \
  X(PD_INT8, int8_t) X(PD_INT16, int16_t) X(PD_INT32, int32_t) X(PD_INT64, int64_t)
#define FOR_SMALL(X)                                                    \
  X(PD_FLOAT8_E4M3FN, uint8_t, 4, 3, 1)                                 \
  X(PD_FLOAT8_E5M2, uint8_t, 5, 2, 0) X(PD_FLOAT16, uint16_t, 5, 10, 0) \
      X(PD_BFLOAT16, uint16_t, 8, 7, 0)
#define FOR_FLOAT(X) X(PD_FLOAT32, float) X(PD_FLOAT64, double)
#define FOR_COMPLEX(X) X(PD_COMPLEX64, float) X(PD_COMPLEX128, double)

static Number loaded(const char* at, int32_t dtype) {
  Number n = {0, 0, 0, 0};
  switch (dtype) {
#define WHOLE(name, T)   \
  case name:             \
    n.whole = 1;         \
    n.i = *(const T*)at; \
    break;
#define SMALL(name, T, e, m, f)              \
  case name:                                 \
    n.re = unpacked(*(const T*)at, e, m, f); \
    break;
#define FLOAT(name, T)    \
  case name:              \
    n.re = *(const T*)at; \
    break;
#define COMPLEX(name, T)      \
  case name:                  \
    n.re = ((const T*)at)[0]; \
    n.im = ((const T*)at)[1]; \
    break;
    WHOLE(PD_BOOL, uint8_t) FOR_WHOLE(WHOLE) FOR_SMALL(SMALL) FOR_FLOAT(FLOAT) FOR_COMPLEX(COMPLEX)
#undef WHOLE
#undef SMALL
#undef FLOAT
#undef COMPLEX
  }
  return n;
}

static void stored(char* at, int32_t dtype, Number n) {
  if (!n.whole && dtype <= PD_INT64) n.i = (int64_t)n.re;
  switch (dtype) {
    case PD_BOOL:
      *at = n.whole ? n.i != 0 : n.re != 0 || n.im != 0;
      break;
#define WHOLE(name, T) \
  case name:           \
    *(T*)at = (T)n.i;  \
    break;
#define SMALL(name, T, e, m, f)                                       \
  case name:                                                          \
    *(T*)at = (T)packed(n.whole ? (float)n.i : (float)n.re, e, m, f); \
    break;
#define FLOAT(name, T)                    \
  case name:                              \
    *(T*)at = n.whole ? (T)n.i : (T)n.re; \
    break;
#define COMPLEX(name, T)                      \
  case name:                                  \
    ((T*)at)[0] = n.whole ? (T)n.i : (T)n.re; \
    ((T*)at)[1] = (T)n.im;                    \
    break;
      FOR_WHOLE(WHOLE) FOR_SMALL(SMALL) FOR_FLOAT(FLOAT) FOR_COMPLEX(COMPLEX)
  }
}

double load_number(const char* at, int32_t dtype) {
  const Number n = loaded(at, dtype);
  return n.whole ? (double)n.i : n.re;
}

void store_number(char* at, int32_t dtype, double value) {
  stored(at, dtype, (Number){0, value, 0, 0});
}

double as_dtype(double value, int32_t dtype) {
  char bytes[16];
  store_number(bytes, dtype, value);
  return load_number(bytes, dtype);
}

void copy_array(const Array* to, const Array* from) {
  const int64_t size = (int64_t)size_of_dtype(to->dtype),
                read = (int64_t)size_of_dtype(from->dtype);
  for (int64_t i = 0; i < to->count; ++i) {
    int64_t rest = i, x = 0, y = 0;
    for (int32_t d = to->rank - 1; d >= 0; --d) {
      const int64_t position = rest % to->shape[d];
      rest /= to->shape[d];
      x += position * to->strides[d];
      y += position * from->strides[d];
    }
    if (to->dtype == from->dtype) {
      memcpy(to->data + x * size, from->data + y * read, (size_t)size);
    } else {
      stored(to->data + x * size, to->dtype, loaded(from->data + y * read, from->dtype));
    }
  }
}

static void run_copy(void* work) {
  const Array* arrays = work;
  copy_array(&arrays[0], &arrays[1]);
}

PdError* copy_strided(PdStridedCopyArgs* args) {
  Array arrays[2];
  PdError* error = array_of(args->target, &arrays[0]);
  if (!error) error = array_of(args->source, &arrays[1]);
  if (!error) skeleton_issue(args->stream, run_copy, arrays, sizeof arrays);
  return error;
}
