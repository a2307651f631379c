/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels. One of an elementwise operator is a line in the table at the end; others are functions
 * that read the call and issue their work. What has none, the framework composes of others, or runs
 * on the host. */
#include <math.h>
#include <string.h>

#include "array.h"

long long skeleton_launches, skeleton_channels_last;

#define TRY(expression)             \
  do {                              \
    PdError* error_ = (expression); \
    if (error_) return error_;      \
  } while (0)

static PdError* input(const PdKernelCall* call, uint32_t i, Array* array) {
  return array_of(PD_ARGUMENT(call, i)->as.tensor, array);
}

/* Strides of an operand as of the result's axes: 0 where it is repeated. */
static void broadcast(Array* operand, const Array* result) {
  const int32_t added = result->rank - operand->rank;
  for (int32_t d = result->rank - 1; d >= 0; --d) {
    const int repeated = d < added || operand->shape[d - added] == 1;
    operand->strides[d] = repeated ? 0 : operand->strides[d - added];
  }
}

/* -- elementwise ------------------------------------------------------------------------------- */

typedef struct Elementwise {
  Array out, in[2];
  int inputs;
  float (*unary)(float);
  float (*binary)(float, float);
} Elementwise;

static void run_elementwise(void* work) {
  const Elementwise* e = work;
  float* out = (float*)e->out.data;
  const float *x = (const float*)e->in[0].data, *y = (const float*)e->in[1].data;
  for (int64_t i = 0; i < e->out.count; ++i) {
    int64_t rest = i, a = 0, b = 0;
    for (int32_t d = e->out.rank - 1; d >= 0; --d) {
      const int64_t position = rest % e->out.shape[d];
      rest /= e->out.shape[d];
      a += position * e->in[0].strides[d];
      if (e->binary) b += position * e->in[1].strides[d];
    }
    out[i] = e->binary ? e->binary(x[a], y[b]) : e->unary(x[a]);
  }
}

static PdError* elementwise(const PdKernelCall* call, Elementwise* e, int inputs) {
  TRY(array_of(call->outputs[0], &e->out));
  for (int i = 0; i < inputs; ++i) {
    TRY(input(call, (uint32_t)i, &e->in[i]));
    broadcast(&e->in[i], &e->out);
  }
  skeleton_issue(call->stream, run_elementwise, e, sizeof *e);
  return NULL;
}

static PdError* unary(const PdKernelCall* call) {
  Elementwise e = {.unary = *(float (*const*)(float))call->context};
  return elementwise(call, &e, 1);
}

static PdError* binary(const PdKernelCall* call) {
  Elementwise e = {.binary = *(float (*const*)(float, float))call->context};
  return elementwise(call, &e, 2);
}

/* -- fill, copy -------------------------------------------------------------------------------- */

typedef struct Filled {
  Array out;
  float value;
} Filled;

static void run_fill(void* work) {
  const Filled* f = work;
  for (int64_t i = 0; i < f->out.count; ++i) ((float*)f->out.data)[i] = f->value;
}

static PdError* full(const PdKernelCall* call) {
  Filled f;
  TRY(array_of(call->outputs[0], &f.out));
  const PdValue* value = PD_ARGUMENT(call, 1);
  f.value = value->kind == PD_VALUE_FLOAT     ? (float)value->as.f
            : value->kind == PD_VALUE_COMPLEX ? (float)value->as.floats[0]
                                              : (float)value->as.i;
  skeleton_issue(call->stream, run_fill, &f, sizeof f);
  return NULL;
}

static void run_copy(void* work) {
  const Array* arrays = work;
  copy_array(&arrays[0], &arrays[1]);
}

/* cast, assign, reshape: the elements in the order of x. */
static PdError* copied(const PdKernelCall* call) {
  Array arrays[2];
  TRY(array_of(call->outputs[0], &arrays[0]));
  TRY(input(call, 0, &arrays[1]));
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

/* -- matmul ------------------------------------------------------------------------------------ */

typedef struct Product {
  Array out, x, y;
  int64_t rows, columns, depth, x_row, x_depth, y_depth, y_column;
} Product;

/* Puts a missing axis of a vector in, takes the last two axes off. */
static void matrix(Array* a, int transposed, int left, int64_t* rows, int64_t* columns,
                   int64_t* row_stride, int64_t* column_stride) {
  if (a->rank == 1) {
    const int64_t n = a->shape[0], step = a->strides[0];
    *rows = left ? 1 : n, *columns = left ? n : 1;
    *row_stride = left ? 0 : step, *column_stride = left ? step : 0;
    a->rank = 0;
    return;
  }
  const int32_t r = a->rank - (transposed ? 1 : 2), c = a->rank - (transposed ? 2 : 1);
  *rows = a->shape[r], *columns = a->shape[c];
  *row_stride = a->strides[r], *column_stride = a->strides[c];
  a->rank -= 2;
}

static void run_product(void* work) {
  const Product* p = work;
  float* out = (float*)p->out.data;
  for (int64_t i = 0; i < p->out.count; ++i) {
    const int64_t row = i / p->columns % p->rows, column = i % p->columns;
    int64_t rest = i / (p->rows * p->columns), a = row * p->x_row, b = column * p->y_column;
    for (int32_t d = p->out.rank - 1; d >= 0; --d) {
      const int64_t position = rest % p->out.shape[d];
      rest /= p->out.shape[d];
      a += position * p->x.strides[d];
      b += position * p->y.strides[d];
    }
    double sum = 0;
    for (int64_t d = 0; d < p->depth; ++d) {
      sum += (double)((const float*)p->x.data)[a + d * p->x_depth] *
             ((const float*)p->y.data)[b + d * p->y_depth];
    }
    out[i] = (float)sum;
  }
}

static PdError* matmul(const PdKernelCall* call) {
  Product p;
  int64_t same;
  TRY(array_of(call->outputs[0], &p.out));
  TRY(input(call, 0, &p.x));
  TRY(input(call, 1, &p.y));
  p.out.rank -= (p.x.rank > 1) + (p.y.rank > 1); /* the axes of the batch stay */
  matrix(&p.x, PD_ARGUMENT(call, 2)->as.i != 0, 1, &p.rows, &p.depth, &p.x_row, &p.x_depth);
  matrix(&p.y, PD_ARGUMENT(call, 3)->as.i != 0, 0, &same, &p.columns, &p.y_depth, &p.y_column);
  broadcast(&p.x, &p.out);
  broadcast(&p.y, &p.out);
  skeleton_issue(call->stream, run_product, &p, sizeof p);
  return NULL;
}

/* -- with scratch, with a layout, with a result whose size the values decide
 * ------------------------ */

typedef struct Sum {
  Array out, in;
  int64_t step[SKELETON_MAX_RANK]; /* in the sums, of each axis of x; 0 where it is summed */
  double* sums;
} Sum;

static void run_sum(void* work) {
  const Sum* s = work;
  for (int64_t i = 0; i < s->out.count; ++i) s->sums[i] = 0;
  for (int64_t i = 0; i < s->in.count; ++i) {
    int64_t rest = i, at = 0;
    for (int32_t d = s->in.rank - 1; d >= 0; --d) {
      at += rest % s->in.shape[d] * s->step[d];
      rest /= s->in.shape[d];
    }
    s->sums[at] += as_dtype(((const float*)s->in.data)[i], s->out.dtype);
  }
  const int64_t size = (int64_t)size_of_dtype(s->out.dtype);
  for (int64_t i = 0; i < s->out.count; ++i) {
    store_number(s->out.data + i * size, s->out.dtype, s->sums[i]);
  }
}

static PdError* sum(const PdKernelCall* call) {
  Sum s;
  TRY(array_of(call->outputs[0], &s.out));
  TRY(input(call, 0, &s.in));
  if (s.out.count == 0) return NULL;
  const PdValue* axes = PD_ARGUMENT(call, 1);
  int64_t step = 1;
  for (int32_t d = s.in.rank - 1; d >= 0; --d) {
    int summed = axes->count == 0;
    for (uint32_t k = 0; k < axes->count; ++k) {
      summed |= axes->as.ints[k] == d || axes->as.ints[k] + s.in.rank == d;
    }
    s.step[d] = summed ? 0 : step;
    if (!summed) step *= s.in.shape[d];
  }
  PdScratchArgs scratch = {sizeof scratch, call->host_call, s.out.count * (int64_t)sizeof(double),
                           NULL, 0};
  TRY(skeleton_host->scratch(&scratch));
  s.sums = (double*)(void*)skeleton_bytes(scratch.memory, scratch.offset, scratch.bytes);
  skeleton_issue(call->stream, run_sum, &s, sizeof s);
  return NULL;
}

typedef struct Shuffle {
  Array out, in;
  int64_t factor;
  int last;
} Shuffle;

static void run_shuffle(void* work) {
  const Shuffle* s = work;
  const int64_t *shape = s->out.shape, r = s->factor, channels = shape[s->last ? 3 : 1];
  const int64_t height = shape[s->last ? 1 : 2], width = shape[s->last ? 2 : 3];
  const int64_t rows = height / r, columns = width / r, inner = channels * r * r;
  for (int64_t i = 0; i < s->out.count; ++i) {
    const int64_t n = i / (channels * height * width), rest = i % (channels * height * width);
    const int64_t c = s->last ? rest % channels : rest / (height * width);
    const int64_t h = s->last ? rest / channels / width : rest / width % height;
    const int64_t w = s->last ? rest / channels % width : rest % width;
    const int64_t read = c * r * r + h % r * r + w % r, y = h / r, x = w / r;
    ((float*)s->out.data)[i] =
        ((const float*)s->in.data)[s->last ? ((n * rows + y) * columns + x) * inner + read
                                           : ((n * inner + read) * rows + y) * columns + x];
  }
}

static PdError* pixel_shuffle(const PdKernelCall* call) {
  const PdValue* format = PD_ARGUMENT(call, 2);
  Shuffle s = {.factor = PD_ARGUMENT(call, 1)->as.i,
               .last = format->count == 4 && memcmp(format->as.text, "NHWC", 4) == 0};
  TRY(array_of(call->outputs[0], &s.out));
  TRY(input(call, 0, &s.in));
  skeleton_channels_last += s.last;
  skeleton_issue(call->stream, run_shuffle, &s, sizeof s);
  return NULL;
}

typedef struct Positions {
  Array condition, out;
  int64_t* found; /* how many there are; out is filled where it is null */
} Positions;

static void run_nonzero(void* work) {
  const Positions* p = work;
  const size_t size = size_of_dtype(p->condition.dtype);
  int64_t found = 0;
  for (int64_t i = 0; i < p->condition.count; ++i) {
    if (load_number(p->condition.data + i * (int64_t)size, p->condition.dtype) == 0) continue;
    int64_t rest = i, *row = (int64_t*)(void*)p->out.data + found++ * p->condition.rank;
    for (int32_t d = p->condition.rank - 1; d >= 0 && !p->found; --d) {
      row[d] = rest % p->condition.shape[d];
      rest /= p->condition.shape[d];
    }
  }
  if (p->found) *p->found = found;
}

static PdError* nonzero(const PdKernelCall* call) {
  Positions p;
  int64_t found = 0;
  TRY(input(call, 0, &p.condition));
  p.out.data = NULL;
  p.found = &found;
  skeleton_issue(call->stream, run_nonzero, &p, sizeof p);
  skeleton_wait_for(call->stream);
  const int64_t shape[] = {found, p.condition.rank};
  PdOutputArgs output = {sizeof output, call->host_call, 0, PD_INT64, 2, shape, NULL};
  TRY(skeleton_host->make_output(&output));
  TRY(array_of(output.tensor, &p.out));
  p.found = NULL;
  skeleton_issue(call->stream, run_nonzero, &p, sizeof p);
  return NULL;
}

/* -- the table --------------------------------------------------------------------------------- */

static float add(float a, float b) { return a + b; }
static float subtract(float a, float b) { return a - b; }
static float multiply(float a, float b) { return a * b; }
static float divide(float a, float b) { return a / b; }
static float maximum(float a, float b) { return a != a || a > b ? a : b; }
static float relu(float a) { return a != a || a > 0 ? a : 0; }

static const struct Kernel {
  const char* op;
  PdError* (*run)(const PdKernelCall*);
  uint64_t dtypes, features;
  union {
    float (*unary)(float);
    float (*binary)(float, float);
  } of;
} kernels[] = {
#define FLOAT32 PD_DTYPE_BIT(PD_FLOAT32)
#define ALL (PD_DTYPE_BIT(PD_COMPLEX128 + 1) - PD_DTYPE_BIT(PD_BOOL))
#define UNARY(name, function)                                      \
  {                                                                \
    name, unary, FLOAT32, PD_KERNEL_STRIDED, { .unary = function } \
  }
#define BINARY(name, function)                                       \
  {                                                                  \
    name, binary, FLOAT32, PD_KERNEL_STRIDED, { .binary = function } \
  }
    BINARY("add", add),
    BINARY("subtract", subtract),
    BINARY("multiply", multiply),
    BINARY("divide", divide),
    BINARY("maximum", maximum),
    UNARY("relu", relu),
    UNARY("exp", expf),
    UNARY("log", logf),
    UNARY("sqrt", sqrtf),
    UNARY("tanh", tanhf),
    UNARY("sin", sinf),
    UNARY("cos", cosf),
    {"full", full, FLOAT32, 0, {NULL}},
    {"full_like", full, FLOAT32, 0, {NULL}},
    {"cast", copied, ALL, PD_KERNEL_STRIDED, {NULL}},
    {"assign", copied, ALL, PD_KERNEL_STRIDED, {NULL}},
    {"reshape", copied, ALL, PD_KERNEL_STRIDED, {NULL}},
    {"matmul", matmul, FLOAT32, PD_KERNEL_STRIDED, {NULL}},
    {"sum", sum, FLOAT32, 0, {NULL}},
    {"pixel_shuffle", pixel_shuffle, FLOAT32, 0, {NULL}},
    {"nonzero", nonzero, FLOAT32 | PD_DTYPE_BIT(PD_BOOL), 0, {NULL}},
};

/* Every kernel is called through here. */
static PdError* launch(const PdKernelCall* call) {
  const struct Kernel* kernel = call->context;
  PdKernelCall own = *call;
  own.context = (void*)&kernel->of;
  ++skeleton_launches;
  return kernel->run(&own);
}

static PdError* find(PdKernelArgs* args) {
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
    if (!(kernels[i].dtypes & args->dtypes) || strcmp(kernels[i].op, args->op)) continue;
    args->run = launch;
    args->run_context = (void*)&kernels[i];
    args->run_dtypes = kernels[i].dtypes & args->dtypes;
    args->run_features = kernels[i].features & args->features;
    return NULL;
  }
  return NULL;
}

const PdKernelGroup skeleton_kernels = {sizeof(PdKernelGroup), find, copy_strided};
