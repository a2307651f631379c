/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels. One of an elementwise operator is an entry of FOR_UNARY or FOR_BINARY; others are
 * functions that read the call and issue their work, and a row of the table at the end. What has
 * none, and what a kernel declines, the framework composes of other operators, or runs on the host.
 */
#include <math.h>
#include <string.h>

#include "skeleton.h"

#define MAX_RANK 12
#define DECLINE(...) CHECK(0, PD_ERROR_NOT_IMPLEMENTED, __VA_ARGS__)

/* -- tensors: tasks keep copies, since what a call points to is gone when its kernel returns ------
 */

typedef struct Array {
  char* data;
  int32_t dtype, rank;
  int64_t count, shape[MAX_RANK], strides[MAX_RANK];
} Array;

static int64_t size_of(int32_t dtype) {
  static const char sizes[] = {0, 1, 1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16};
  return sizes[dtype];
}

static PdError* array_of(const PdTensor* tensor, Array* array) {
  if (tensor->rank > MAX_RANK) DECLINE("a tensor has %d axes.", (int)tensor->rank);
  array->dtype = tensor->dtype;
  array->rank = tensor->rank;
  array->count = tensor->count;
  int64_t last = 0;
  for (int32_t d = 0; d < tensor->rank; ++d) {
    array->shape[d] = tensor->shape[d];
    array->strides[d] = tensor->strides[d];
    if (tensor->strides[d] > 0) last += (tensor->shape[d] - 1) * tensor->strides[d];
  }
  const int64_t bytes = (last + 1) * size_of(tensor->dtype);
  array->data = tensor->host     ? (char*)tensor->host
                : tensor->memory ? skeleton_bytes(tensor->memory, tensor->offset, bytes)
                                 : NULL;
  return NULL;
}

static PdError* input(const PdKernelCall* call, uint32_t i, Array* array) {
  return array_of(PD_ARGUMENT(call, i)->as.tensor, array);
}

/* Gives the operand the axes of the result, with stride 0 where it is repeated. */
static void broadcast(Array* operand, const Array* result) {
  const int32_t added = result->rank - operand->rank;
  for (int32_t d = result->rank - 1; d >= 0; --d) {
    const int repeated = d < added || operand->shape[d - added] == 1;
    operand->strides[d] = repeated ? 0 : operand->strides[d - added];
  }
}

/* Where element i of the result is in an operand that was broadcast to it. */
static int64_t at(const Array* operand, const Array* result, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = result->rank - 1; d >= 0; --d) {
    offset += i % result->shape[d] * operand->strides[d];
    i /= result->shape[d];
  }
  return offset;
}

/* -- elementwise ----------------------------------------------------------------------------- */

typedef struct Elementwise {
  Array out, in[2];
  int dense; /* element i of the result is made of elements i */
} Elementwise;

static PdError* elementwise(const PdKernelCall* call, uint32_t inputs) {
  Elementwise e;
  e.dense = 1;
  TRY(array_of(call->outputs[0], &e.out));
  for (uint32_t i = 0; i < inputs; ++i) {
    TRY(input(call, i, &e.in[i]));
    broadcast(&e.in[i], &e.out);
    for (int32_t d = 0; d < e.out.rank; ++d) e.dense &= e.in[i].strides[d] == e.out.strides[d];
  }
  skeleton_issue(call->stream, *(void (*const*)(void*))call->context, &e, sizeof e);
  return NULL;
}

static PdError* unary(const PdKernelCall* call) { return elementwise(call, 1); }
static PdError* binary(const PdKernelCall* call) { return elementwise(call, 2); }

/* A loop over the elements of the result, dense or not. */
#define LOOP(name, dense_value, value)                                  \
  static void run_##name(void* work) {                                  \
    const Elementwise* e = work;                                        \
    const Array *out = &e->out, *a = &e->in[0], *b = &e->in[1];         \
    const float *x = (const float*)a->data, *y = (const float*)b->data; \
    float* to = (float*)out->data;                                      \
    (void)y, (void)b;                                                   \
    if (e->dense) {                                                     \
      for (int64_t i = 0; i < out->count; ++i) to[i] = dense_value;     \
    } else {                                                            \
      for (int64_t i = 0; i < out->count; ++i) to[i] = value;           \
    }                                                                   \
  }
#define UNARY(name, of) LOOP(name, of(x[i]), of(x[at(a, out, i)]))
#define BINARY(name, of) LOOP(name, of(x[i], y[i]), of(x[at(a, out, i)], y[at(b, out, i)]))

static float sum_of(float a, float b) { return a + b; }
static float difference(float a, float b) { return a - b; }
static float product(float a, float b) { return a * b; }
static float quotient(float a, float b) { return a / b; }
static float larger(float a, float b) { return a != a || a > b ? a : b; }

#define FOR_UNARY(X) X(exp, expf) X(log, logf) X(sqrt, sqrtf) X(tanh, tanhf)
#define FOR_BINARY(X)     \
  X(add, sum_of)          \
  X(subtract, difference) \
  X(multiply, product) X(divide, quotient) X(maximum, larger) X(elementwise_pow, powf)

FOR_UNARY(UNARY)
FOR_BINARY(BINARY)

/* -- fill, copy, cast ------------------------------------------------------------------------ */

/* An argument that is a number of any kind. */
static double number(const PdKernelCall* call, uint32_t i) {
  const PdValue* value = PD_ARGUMENT(call, i);
  return value->kind == PD_VALUE_FLOAT     ? value->as.f
         : value->kind == PD_VALUE_COMPLEX ? value->as.floats[0]
                                           : (double)value->as.i;
}

typedef struct Scaled {
  Array out, in; /* in: none for full() */
  float scale, bias;
} Scaled;

static void run_scale(void* work) {
  const Scaled* s = work;
  const float* x = (const float*)s->in.data;
  float* out = (float*)s->out.data;
  for (int64_t i = 0; i < s->out.count; ++i) out[i] = (x ? x[i] * s->scale : 0) + s->bias;
}

static PdError* full(const PdKernelCall* call) {
  Scaled s = {.bias = (float)number(call, 1)};
  TRY(array_of(call->outputs[0], &s.out));
  skeleton_issue(call->stream, run_scale, &s, sizeof s);
  return NULL;
}

static PdError* scale(const PdKernelCall* call) {
  Scaled s = {.scale = (float)number(call, 1), .bias = (float)number(call, 2)};
  if (PD_ARGUMENT(call, 3)->as.i == 0) s.bias *= s.scale; /* bias_after_scale */
  TRY(array_of(call->outputs[0], &s.out));
  TRY(input(call, 0, &s.in));
  skeleton_issue(call->stream, run_scale, &s, sizeof s);
  return NULL;
}

#define FOR_NUMBERS(X)          \
  X(PD_UINT8, uint8_t, int64_t) \
  X(PD_INT8, int8_t, int64_t)   \
  X(PD_INT16, int16_t, int64_t) \
  X(PD_INT32, int32_t, int64_t) \
  X(PD_INT64, int64_t, int64_t) \
  X(PD_FLOAT32, float, double) X(PD_FLOAT64, double, double) X(PD_BOOL, uint8_t, _Bool)

/* A long double holds every number of these dtypes. */
static long double loaded(const char* from, int32_t dtype) {
#define LOAD(name, T, wide) \
  if (dtype == name) return *(const T*)(const void*)from;
  FOR_NUMBERS(LOAD)
  return 0;
}

static void stored(char* to, int32_t dtype, long double value) {
#define STORE(name, T, wide) \
  if (dtype == name) *(T*)(void*)to = (T)(wide)value;
  FOR_NUMBERS(STORE)
}

static int is_number(int32_t dtype) {
#define IS(name, T, wide) dtype == name ||
  return FOR_NUMBERS(IS) 0;
}

static void run_copy(void* work) {
  const Array *to = work, *from = to + 1;
  const int64_t size = size_of(to->dtype), read = size_of(from->dtype);
  for (int64_t i = 0; i < to->count; ++i) {
    char* const target = to->data + at(to, to, i) * size;
    const char* const source = from->data + at(from, to, i) * read;
    if (to->dtype == from->dtype) {
      memcpy(target, source, (size_t)size);
    } else {
      stored(target, to->dtype, loaded(source, from->dtype));
    }
  }
}

/* cast, assign, reshape: the elements in the order of x. */
static PdError* copied(const PdKernelCall* call) {
  Array arrays[2];
  TRY(array_of(call->outputs[0], &arrays[0]));
  TRY(input(call, 0, &arrays[1]));
  if (arrays[0].dtype != arrays[1].dtype &&
      !(is_number(arrays[0].dtype) && is_number(arrays[1].dtype))) {
    DECLINE("dtype %d is not cast to %d.", (int)arrays[1].dtype, (int)arrays[0].dtype);
  }
  arrays[0].rank = arrays[1].rank;
  int64_t step = 1;
  for (int32_t d = arrays[1].rank - 1; d >= 0; --d) {
    arrays[0].shape[d] = arrays[1].shape[d];
    arrays[0].strides[d] = step;
    step *= arrays[1].shape[d];
  }
  skeleton_issue(call->stream, run_copy, arrays, sizeof arrays);
  return NULL;
}

static PdError* strided_copy(PdStridedCopyArgs* args) {
  Array arrays[2];
  TRY(array_of(args->target, &arrays[0]));
  TRY(array_of(args->source, &arrays[1]));
  skeleton_issue(args->stream, run_copy, arrays, sizeof arrays);
  return NULL;
}

/* -- matmul, sum, nonzero -------------------------------------------------------------------- */

typedef struct Product {
  Array out, x, y;
  int64_t rows, columns, depth, x_row, x_depth, y_depth, y_column;
} Product;

static void run_product(void* work) {
  const Product* p = work;
  const float *x = (const float*)p->x.data, *y = (const float*)p->y.data;
  for (int64_t i = 0; i < p->out.count; ++i) {
    const int64_t row = i / p->columns % p->rows, batch = i / (p->rows * p->columns);
    const int64_t a = at(&p->x, &p->out, batch) + row * p->x_row;
    const int64_t b = at(&p->y, &p->out, batch) + i % p->columns * p->y_column;
    double sum = 0;
    for (int64_t d = 0; d < p->depth; ++d) {
      sum += (double)x[a + d * p->x_depth] * y[b + d * p->y_depth];
    }
    ((float*)p->out.data)[i] = (float)sum;
  }
}

static PdError* matmul(const PdKernelCall* call) {
  Product p;
  TRY(array_of(call->outputs[0], &p.out));
  TRY(input(call, 0, &p.x));
  TRY(input(call, 1, &p.y));
  if (p.x.rank < 2 || p.y.rank < 2) DECLINE("a vector is no matrix.");
  p.out.rank -= 2; /* the axes of the batch */
  p.x.rank -= 2;
  p.y.rank -= 2;
  const int x_turned = PD_ARGUMENT(call, 2)->as.i != 0, y_turned = PD_ARGUMENT(call, 3)->as.i != 0;
  const int64_t *x = p.x.strides + p.x.rank, *y = p.y.strides + p.y.rank;
  p.rows = p.out.shape[p.out.rank];
  p.columns = p.out.shape[p.out.rank + 1];
  p.depth = p.x.shape[p.x.rank + !x_turned];
  p.x_row = x[x_turned], p.x_depth = x[!x_turned];
  p.y_depth = y[y_turned], p.y_column = y[!y_turned];
  broadcast(&p.x, &p.out);
  broadcast(&p.y, &p.out);
  skeleton_issue(call->stream, run_product, &p, sizeof p);
  return NULL;
}

typedef struct Sum {
  Array sums, in, out; /* sums: scratch, with stride 0 along what is added */
} Sum;

static void run_sum(void* work) {
  const Sum* s = work;
  double* const sums = (double*)(void*)s->sums.data;
  for (int64_t i = 0; i < s->out.count; ++i) sums[i] = 0;
  for (int64_t i = 0; i < s->in.count; ++i) {
    sums[at(&s->sums, &s->in, i)] += ((const float*)s->in.data)[i];
  }
  for (int64_t i = 0; i < s->out.count; ++i) ((float*)s->out.data)[i] = (float)sums[i];
}

static PdError* sum(const PdKernelCall* call) {
  const PdValue* axes = PD_ARGUMENT(call, 1);
  Sum s;
  TRY(array_of(call->outputs[0], &s.out));
  TRY(input(call, 0, &s.in));
  if (s.out.dtype != PD_FLOAT32) DECLINE("the sums are of dtype %d.", (int)s.out.dtype);
  if (s.out.count == 0) return NULL;
  int64_t step = 1;
  for (int32_t d = s.in.rank - 1; d >= 0; --d) {
    int added = axes->count == 0;
    for (uint32_t k = 0; k < axes->count; ++k) {
      added |= axes->as.ints[k] == d || axes->as.ints[k] + s.in.rank == d;
    }
    s.sums.strides[d] = added ? 0 : step;
    if (!added) step *= s.in.shape[d];
  }
  PdScratchArgs scratch = {sizeof scratch, call->host_call, 8 * s.out.count, NULL, 0};
  TRY(skeleton_host->scratch(&scratch));
  s.sums.data = skeleton_bytes(scratch.memory, scratch.offset, scratch.bytes);
  skeleton_issue(call->stream, run_sum, &s, sizeof s);
  return NULL;
}

typedef struct Positions {
  Array condition, out;
  int64_t* found; /* how many there are; where it is null, out is filled */
} Positions;

static void run_nonzero(void* work) {
  const Positions* p = work;
  const int32_t rank = p->condition.rank;
  int64_t found = 0;
  for (int64_t i = 0; i < p->condition.count; ++i) {
    const char* const element = p->condition.data + i * size_of(p->condition.dtype);
    if (loaded(element, p->condition.dtype) == 0) continue;
    int64_t rest = i, *row = (int64_t*)(void*)p->out.data + found++ * rank;
    for (int32_t d = rank - 1; d >= 0 && !p->found; rest /= p->condition.shape[d--]) {
      row[d] = rest % p->condition.shape[d];
    }
  }
  if (p->found) *p->found = found;
}

/* The number of results is known only from the values, so the kernel waits for it. */
static PdError* nonzero(const PdKernelCall* call) {
  Positions p;
  int64_t found = 0;
  memset(&p, 0, sizeof p);
  TRY(input(call, 0, &p.condition));
  p.found = &found;
  skeleton_issue(call->stream, run_nonzero, &p, sizeof p);
  skeleton_wait(call->stream);
  const int64_t shape[] = {found, p.condition.rank};
  PdOutputArgs output = {sizeof output, call->host_call, 0, PD_INT64, 2, shape, NULL};
  TRY(skeleton_host->make_output(&output));
  TRY(array_of(output.tensor, &p.out));
  p.found = NULL;
  skeleton_issue(call->stream, run_nonzero, &p, sizeof p);
  return NULL;
}

/* -- the table ------------------------------------------------------------------------------- */

#define FLOAT32 PD_DTYPE_BIT(PD_FLOAT32)
#define ALL (PD_DTYPE_BIT(PD_COMPLEX128 + 1) - PD_DTYPE_BIT(PD_BOOL))
#define UNARY_ROW(name, of) {#name, unary, FLOAT32, PD_KERNEL_STRIDED, run_##name},
#define BINARY_ROW(name, of) {#name, binary, FLOAT32, PD_KERNEL_STRIDED, run_##name},

static const struct Kernel {
  const char* op;
  PdError* (*run)(const PdKernelCall*);
  uint64_t dtypes, features;
  void (*loop)(void*);
} kernels[] = {
    FOR_UNARY(UNARY_ROW) FOR_BINARY(BINARY_ROW){"scale", scale, FLOAT32, 0, NULL},
    {"full", full, FLOAT32, 0, NULL},
    {"full_like", full, FLOAT32, 0, NULL},
    {"cast", copied, ALL, PD_KERNEL_STRIDED, NULL},
    {"assign", copied, ALL, PD_KERNEL_STRIDED, NULL},
    {"reshape", copied, ALL, PD_KERNEL_STRIDED, NULL},
    {"matmul", matmul, FLOAT32, PD_KERNEL_STRIDED, NULL},
    {"sum", sum, FLOAT32, 0, NULL},
    {"nonzero", nonzero, FLOAT32 | PD_DTYPE_BIT(PD_BOOL), 0, NULL},
};

static PdError* find(PdKernelArgs* args) {
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
    if (!(kernels[i].dtypes & args->dtypes) || strcmp(kernels[i].op, args->op)) continue;
    args->run = kernels[i].run;
    args->run_context = (void*)&kernels[i].loop;
    args->run_dtypes = kernels[i].dtypes & args->dtypes;
    args->run_features = kernels[i].features & args->features;
    break;
  }
  return NULL;
}

const PdKernelGroup skeleton_kernels = {sizeof(PdKernelGroup), find, strided_copy};
