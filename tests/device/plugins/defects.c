/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The skeleton with one planted defect: its files are compiled with
 * -Dpaddle_device_plugin=skeleton_plugin, this one with -DDEFECT=name, and linked.
 * test_conformance.py says in which case of the conformance suite each has to be found. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "skeleton.h"

PdError* skeleton_plugin(PdEntryArgs* args);

static PdPlugin plugin;
static PdDeviceGroup device;
static PdMemoryGroup memory;
static PdStreamGroup streams;
static PdEventGroup events;
static PdKernelGroup kernels;
/* As the skeleton has them. */
static PdDeviceGroup true_device;
static PdMemoryGroup true_memory;
static PdStreamGroup true_streams;
static PdEventGroup true_events;
static PdKernelGroup true_kernels;

#define PLANT(name) __attribute__((unused)) static void plant_##name(void)
#define HIDDEN __attribute__((unused)) static

/* -- tables -------------------------------------------------------------------------------- */

PLANT(null_function) { memory.fill = NULL; }
PLANT(short_struct) { events.struct_size = 8; }
PLANT(bad_name) { plugin.device_type = "Skeleton-1"; }

/* -- devices ------------------------------------------------------------------------------- */

HIDDEN PdError* nothing_for_device(PdDeviceArgs* args) { return args ? NULL : NULL; }
PLANT(close_does_nothing) { device.close = nothing_for_device; }

HIDDEN PdError* clamped_open(PdOpenArgs* args) {
  args->index = args->index == 1;
  return true_device.open(args);
}
PLANT(accepts_wrong_index) { device.open = clamped_open; }

HIDDEN PdError* silent_open(PdOpenArgs* args) {
  PdError* error = true_device.open(args);
  if (error) error->message = NULL;
  return error;
}
PLANT(error_without_message) { device.open = silent_open; }

HIDDEN PdError* endless_name(PdPropertiesArgs* args) {
  PdError* error = true_device.properties(args);
  memset(args->name, 'x', sizeof args->name);
  return error;
}
PLANT(unterminated_name) { device.properties = endless_name; }

HIDDEN PdError* no_memory_size(PdPropertiesArgs* args) {
  PdError* error = true_device.properties(args);
  args->total_memory = 0;
  return error;
}
PLANT(no_memory_size) { device.properties = no_memory_size; }

HIDDEN PdError* has_everything(PdCapabilityArgs* args) {
  args->has = 1;
  return NULL;
}
PLANT(knows_everything) { device.has = has_everything; }

HIDDEN PdError* clears_properties(PdPropertiesArgs* args) {
  PdPropertiesArgs kept = *args;
  memset(args, 0, args->struct_size);
  *args = kept;
  return true_device.properties(args);
}
PLANT(clears_later_fields) { device.properties = clears_properties; }

/* -- memory -------------------------------------------------------------------------------- */

HIDDEN PdError* short_copy(PdCopyArgs* args) {
  if (args->bytes % 2 == 1 && args->bytes > 1) --args->bytes;
  return true_memory.copy(args);
}
PLANT(lost_last_byte) { memory.copy = short_copy; }

HIDDEN PdError* copy_from_beginning(PdCopyArgs* args) {
  args->source_offset = 0;
  return true_memory.copy(args);
}
PLANT(ignored_offset) { memory.copy = copy_from_beginning; }

HIDDEN PdError* seven_bits(PdFillArgs* args) {
  args->value &= 0x7f;
  return true_memory.fill(args);
}
PLANT(seven_bits) { memory.fill = seven_bits; }

static PdMemory shared;
HIDDEN PdError* shared_allocate(PdAllocateArgs* args) {
  const int64_t bytes = args->bytes;
  if (bytes > 4096) return true_memory.allocate(args);
  if (!shared) {
    args->bytes = 4096;
    TRY(true_memory.allocate(args));
    shared = args->memory;
    args->bytes = bytes;
  }
  args->memory = shared;
  return NULL;
}
HIDDEN PdError* shared_free(PdFreeArgs* args) {
  return args->memory == shared ? NULL : true_memory.free(args);
}
PLANT(shared_blocks) {
  memory.allocate = shared_allocate;
  memory.free = shared_free;
}

HIDDEN PdError* vague_allocate(PdAllocateArgs* args) {
  PdError* error = true_memory.allocate(args);
  if (error) error->kind = PD_ERROR_RUNTIME;
  return error;
}
PLANT(full_is_no_memory_error) { memory.allocate = vague_allocate; }

HIDDEN PdError* unaligned_host(PdAllocateArgs* args) {
  args->bytes += 8;
  TRY(true_memory.allocate_host(args));
  args->bytes -= 8;
  args->host = (char*)args->host + 8;
  return NULL;
}
HIDDEN PdError* unaligned_free(PdFreeArgs* args) {
  args->host = (char*)args->host - 8;
  return true_memory.free_host(args);
}
PLANT(unaligned_pinned) {
  memory.allocate_host = unaligned_host;
  memory.free_host = unaligned_free;
}

HIDDEN PdError* copy_at_home(PdCopyArgs* args) {
  const int apart = args->target_device && args->source_device;
  return apart && args->target_device != args->source_device ? NULL : true_memory.copy(args);
}
PLANT(no_copies_between_devices) { memory.copy = copy_at_home; }

/* -- streams ------------------------------------------------------------------------------- */

static PdStream elsewhere;
HIDDEN PdError* copy_elsewhere(PdCopyArgs* args) {
  if (!elsewhere) {
    PdStreamArgs made = {sizeof made, NULL, args->device, 0, NULL, 0};
    TRY(true_streams.create(&made));
    elsewhere = made.stream;
  }
  if (args->target && args->source) args->stream = elsewhere;
  return true_memory.copy(args);
}
PLANT(overtaking_copies) { memory.copy = copy_elsewhere; }

HIDDEN PdError* nothing_for_stream(PdStreamArgs* args) { return args ? NULL : NULL; }
PLANT(early_synchronize) { streams.synchronize = nothing_for_stream; }
PLANT(early_device_synchronize) { device.synchronize = nothing_for_device; }

HIDDEN PdError* stream_done(PdStreamArgs* args) {
  args->done = 1;
  return NULL;
}
PLANT(stream_always_done) { streams.query = stream_done; }

static int alive;
HIDDEN PdError* few_streams(PdStreamArgs* args) {
  CHECK(alive < 16, PD_ERROR_RUNTIME, "there are 16 streams already.");
  ++alive;
  return true_streams.create(args);
}
HIDDEN PdError* fewer_streams(PdStreamArgs* args) {
  --alive;
  return true_streams.destroy(args);
}
PLANT(few_streams) {
  streams.create = few_streams;
  streams.destroy = fewer_streams;
}

/* -- events -------------------------------------------------------------------------------- */

HIDDEN PdError* nothing_for_event(PdEventArgs* args) { return args ? NULL : NULL; }

HIDDEN PdError* event_done(PdEventArgs* args) {
  args->done = 1;
  return NULL;
}
PLANT(event_always_done) { events.query = event_done; }
PLANT(early_event_synchronize) { events.synchronize = nothing_for_event; }

HIDDEN void wait_for_latest(void* work) {
  PdEventArgs args = {.struct_size = sizeof args, .event = *(PdEvent*)work};
  true_events.synchronize(&args);
}
HIDDEN PdError* wait_late(PdEventArgs* args) {
  skeleton_issue(args->stream, wait_for_latest, &args->event, sizeof args->event);
  return NULL;
}
PLANT(wait_for_latest_point) { events.wait = wait_late; }

static int waits;
HIDDEN PdError* wait_sometimes(PdEventArgs* args) {
  return ++waits % 3 == 0 ? NULL : true_events.wait(args);
}
PLANT(missed_wait) { events.wait = wait_sometimes; }

HIDDEN PdError* no_time(PdElapsedArgs* args) {
  args->milliseconds = args->begin == args->end;
  return NULL;
}
PLANT(time_of_recording) { events.elapsed = no_time; }

HIDDEN PdError* constant_info(PdMemoryInfoArgs* args) {
  args->free = args->total = (int64_t)8 << 30;
  return NULL;
}
PLANT(memory_info_of_others) { device.memory_info = constant_info; }

/* -- what stays behind --------------------------------------------------------------------- */

HIDDEN PdError* nothing_for_memory(PdFreeArgs* args) { return args ? NULL : NULL; }
PLANT(leaked_block) { memory.free = nothing_for_memory; }
PLANT(leaked_event) { events.destroy = nothing_for_event; }
PLANT(leaked_stream) { streams.destroy = nothing_for_stream; }

HIDDEN PdError* leaking_open(PdOpenArgs* args) {
  PdError* error = true_device.open(args);
  if (error) error->release = NULL;
  return error;
}
PLANT(leaked_error) { device.open = leaking_open; }

HIDDEN PdError* thread_open(PdOpenArgs* args) {
  TRY(true_device.open(args));
  PdStreamArgs made = {sizeof made, NULL, args->device, 0, NULL, 0};
  return true_streams.create(&made);
}
PLANT(leaked_thread_of_a_device) { device.open = thread_open; }

/* -- kernels ------------------------------------------------------------------------------- */

static PdKernelArgs found[64];
static int founds;

/* Looks a kernel up and keeps what was found for `wrapped`, which stands in for it. */
HIDDEN PdError* find_wrapped(PdKernelArgs* args, const char* op,
                             PdError* (*wrapped)(const PdKernelCall*)) {
  TRY(true_kernels.find(args));
  if (!args->run || strcmp(args->op, op) != 0) return NULL;
  found[founds] = *args;
  args->run = wrapped;
  args->run_context = &found[founds++];
  return NULL;
}

HIDDEN PdError* run_found(const PdKernelCall* call) {
  const PdKernelArgs* kernel = call->context;
  PdKernelCall own = *call;
  own.context = kernel->run_context;
  return kernel->run(&own);
}

/* Axes in the order of memory, whatever the strides are. */
HIDDEN PdError* run_dense(const PdKernelCall* call) {
  PdValue values[2];
  PdTensor tensors[2];
  int64_t strides[2][16];
  for (int i = 0; i < 2; ++i) {
    values[i] = *PD_ARGUMENT(call, i);
    tensors[i] = *values[i].as.tensor;
    int64_t step = 1;
    for (int32_t d = tensors[i].rank; d-- > 0; step *= tensors[i].shape[d]) strides[i][d] = step;
    tensors[i].strides = strides[i];
    values[i].as.tensor = &tensors[i];
  }
  PdKernelCall own = *call;
  own.arguments = values;
  return run_found(&own);
}
HIDDEN PdError* find_dense(PdKernelArgs* args) { return find_wrapped(args, "add", run_dense); }
PLANT(ignored_strides) { kernels.find = find_dense; }

/* Results that are NaN become 0. */
HIDDEN void lose_nan(void* work) {
  const PdKernelCall* call = work;
  const PdTensor* out = call->outputs[0];
  float* numbers = (float*)(void*)skeleton_bytes(out->memory, out->offset, 4 * out->count);
  for (int64_t i = 0; i < out->count; ++i) numbers[i] = numbers[i] != numbers[i] ? 0 : numbers[i];
}
HIDDEN PdError* run_careless(const PdKernelCall* call) {
  TRY(run_found(call));
  PdStreamArgs args = {sizeof args, NULL, call->device, 0, call->stream, 0};
  TRY(true_streams.synchronize(&args));
  lose_nan((void*)call);
  return NULL;
}
HIDDEN PdError* find_careless(PdKernelArgs* args) {
  return find_wrapped(args, "maximum", run_careless);
}
PLANT(nan_is_lost) { kernels.find = find_careless; }

HIDDEN PdError* run_elsewhere(const PdKernelCall* call) {
  PdKernelCall own = *call;
  static PdStream stream;
  if (!stream) {
    PdStreamArgs made = {sizeof made, NULL, call->device, 0, NULL, 0};
    TRY(true_streams.create(&made));
    stream = made.stream;
  }
  own.stream = stream;
  return run_found(&own);
}
HIDDEN PdError* find_elsewhere(PdKernelArgs* args) {
  return find_wrapped(args, "add", run_elsewhere);
}
PLANT(kernel_on_another_stream) { kernels.find = find_elsewhere; }

/* The second operand as if it was not transposed, where its shape allows that. */
HIDDEN PdError* run_transposed(const PdKernelCall* call) {
  const PdTensor* y = PD_ARGUMENT(call, 1)->as.tensor;
  PdTensor turned = *y;
  int64_t strides[16];
  for (int32_t d = 0; d < y->rank; ++d) strides[d] = y->strides[d];
  PdValue values[4];
  for (int i = 0; i < 4; ++i) values[i] = *PD_ARGUMENT(call, i);
  if (y->rank == 2 && values[3].as.i) {
    strides[0] = 1;
    strides[1] = y->shape[0];
    turned.strides = strides;
    values[1].as.tensor = &turned;
  }
  PdKernelCall own = *call;
  own.arguments = values;
  return run_found(&own);
}
HIDDEN PdError* find_transposed(PdKernelArgs* args) {
  return find_wrapped(args, "matmul", run_transposed);
}
PLANT(ignored_transposition) { kernels.find = find_transposed; }

/* -- what the host's loader and wrappers find -------------------------------------------------- */

PLANT(of_version_two) { plugin.major = 2; }
PLANT(without_devices) { plugin.device = NULL; }
PLANT(without_memory) {
  plugin.memory = NULL;
  plugin.kernels = NULL;
}
PLANT(without_streams) {
  plugin.streams = NULL;
  plugin.events = NULL;
}
PLANT(without_events) { plugin.events = NULL; }
PLANT(without_kernels) { plugin.kernels = NULL; }

HIDDEN PdError* negative_count(PdCountArgs* args) {
  args->count = -1;
  return NULL;
}
PLANT(negative_count) { device.count = negative_count; }

HIDDEN PdError* null_open(PdOpenArgs* args) { return args ? NULL : NULL; }
PLANT(null_device) { device.open = null_open; }

HIDDEN PdError* null_allocate(PdAllocateArgs* args) { return args ? NULL : NULL; }
PLANT(null_memory) { memory.allocate = null_allocate; }
PLANT(null_pinned) { memory.allocate_host = null_allocate; }
PLANT(pinned_without_functions) { memory.allocate_host = NULL; }
PLANT(null_stream) { streams.create = nothing_for_stream; }
PLANT(null_event) { events.create = nothing_for_event; }

HIDDEN PdError* odd_answer(PdStreamArgs* args) {
  args->done = 7;
  return NULL;
}
PLANT(odd_answer) { streams.query = odd_answer; }

HIDDEN PdError* too_many_dtypes(PdKernelArgs* args) {
  TRY(true_kernels.find(args));
  if (args->run) args->run_dtypes |= PD_DTYPE_BIT(60);
  return NULL;
}
PLANT(too_many_dtypes) { kernels.find = too_many_dtypes; }

HIDDEN PdError* run_silently(const PdKernelCall* call) {
  PdError* error = skeleton_error(PD_ERROR_VALUE, "%s", call->op);
  error->message = "";
  return error;
}
HIDDEN PdError* find_silent(PdKernelArgs* args) { return find_wrapped(args, "tanh", run_silently); }
PLANT(kernel_error_without_message) { kernels.find = find_silent; }

HIDDEN PdError* run_into_a_wall(const PdKernelCall* call) {
  volatile int* nowhere = NULL;
  *nowhere = (int)call->output_count;
  return NULL;
}
HIDDEN PdError* find_wall(PdKernelArgs* args) {
  return find_wrapped(args, "tanh", run_into_a_wall);
}
PLANT(crashing_kernel) { kernels.find = find_wall; }

HIDDEN PdError* run_without_result(const PdKernelCall* call) { return call ? NULL : NULL; }
HIDDEN PdError* find_idle(PdKernelArgs* args) {
  return find_wrapped(args, "nonzero", run_without_result);
}
PLANT(missing_result) { kernels.find = find_idle; }

HIDDEN PdError* full_device(PdAllocateArgs* args) {
  CHECK(args->bytes < 0, PD_ERROR_MEMORY, "the device is full.");
  return NULL;
}
PLANT(full_device) { memory.allocate = full_device; }

/* -- no defect: a kernel that wants channels last, and counts the calls that have them -----------
 */

PD_EXPORT long long calls_with_channels_last;

typedef struct Shuffle {
  float* out;
  const float* in;
  int64_t images, channels, height, width,
      factor; /* of the result, its rows and columns / factor */
  int last;
} Shuffle;

HIDDEN void run_shuffle(void* work) {
  const Shuffle* s = work;
  const int64_t r = s->factor, h = s->height, w = s->width, c = s->channels;
  for (int64_t i = 0; i < s->images * c * h * r * w * r; ++i) {
    int64_t rest = i, n, k, y, x;
    if (s->last) {
      k = rest % c, rest /= c;
      x = rest % (w * r), rest /= w * r;
      y = rest % (h * r), n = rest / (h * r);
    } else {
      x = rest % (w * r), rest /= w * r;
      y = rest % (h * r), rest /= h * r;
      k = rest % c, n = rest / c;
    }
    const int64_t read = (k * r + y % r) * r + x % r;
    const int64_t all = c * r * r;
    s->out[i] = s->in[s->last ? ((n * h + y / r) * w + x / r) * all + read
                              : ((n * all + read) * h + y / r) * w + x / r];
  }
}
HIDDEN float* numbers(const PdTensor* t) {
  return (float*)(void*)skeleton_bytes(t->memory, t->offset, 4 * t->count);
}
HIDDEN PdError* shuffle(const PdKernelCall* call) {
  const PdValue* format = PD_ARGUMENT(call, 2);
  const int last = format->count == 4 && memcmp(format->as.text, "NHWC", 4) == 0;
  const int64_t *shape = call->outputs[0]->shape, r = PD_ARGUMENT(call, 1)->as.i;
  const Shuffle work = {numbers(call->outputs[0]),
                        numbers(PD_ARGUMENT(call, 0)->as.tensor),
                        shape[0],
                        shape[last ? 3 : 1],
                        shape[last ? 1 : 2] / r,
                        shape[last ? 2 : 3] / r,
                        r,
                        last};
  calls_with_channels_last += last;
  skeleton_issue(call->stream, run_shuffle, &work, sizeof work);
  return NULL;
}
HIDDEN PdError* find_shuffle(PdKernelArgs* args) {
  if (strcmp(args->op, "pixel_shuffle") != 0) return true_kernels.find(args);
  args->dtypes &= PD_DTYPE_BIT(PD_FLOAT32);
  args->run = args->dtypes ? shuffle : NULL;
  args->run_dtypes = args->dtypes;
  return NULL;
}
PLANT(with_layouts) { kernels.find = find_shuffle; }

/* -- no defect: random numbers of the call's state, with the host's own generator ---------------
 */

typedef struct Drawn {
  float* out;
  int64_t count;
  uint64_t seed, offset;
  float low, width;
} Drawn;

/* Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
HIDDEN void draw(void* work) {
  const Drawn* d = work;
  for (int64_t i = 0; i < d->count; ++i) {
    const uint64_t at = d->offset + (uint64_t)i / 4;
    uint32_t c[4] = {(uint32_t)at, (uint32_t)(at >> 32), 0, 0};
    uint32_t k[2] = {(uint32_t)d->seed, (uint32_t)(d->seed >> 32)};
    for (int round = 0; round < 10; ++round) {
      const uint64_t p = UINT64_C(0xD2511F53) * c[0], q = UINT64_C(0xCD9E8D57) * c[2];
      const uint32_t next[] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q,
                               (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p};
      memcpy(c, next, sizeof c);
      k[0] += 0x9E3779B9u;
      k[1] += 0xBB67AE85u;
    }
    d->out[i] = d->low + d->width * ((float)(c[i % 4] >> 8) * 0x1p-24f);
  }
}
HIDDEN double number_of(const PdValue* value) {
  return value->kind == PD_VALUE_FLOAT ? value->as.f : (double)value->as.i;
}
HIDDEN PdError* uniform(const PdKernelCall* call) {
  CHECK(PD_HAS(call, random_offset), PD_ERROR_NOT_IMPLEMENTED, "the host is of version 1.0.");
  const float low = (float)number_of(PD_ARGUMENT(call, 2));
  const Drawn work = {numbers(call->outputs[0]),
                      call->outputs[0]->count,
                      call->random_seed,
                      call->random_offset,
                      low,
                      (float)number_of(PD_ARGUMENT(call, 3)) - low};
  skeleton_issue(call->stream, draw, &work, sizeof work);
  return NULL;
}
HIDDEN PdError* find_uniform(PdKernelArgs* args) {
  if (strcmp(args->op, "uniform") != 0) return true_kernels.find(args);
  args->dtypes &= PD_DTYPE_BIT(PD_FLOAT32);
  args->run = args->dtypes ? uniform : NULL;
  args->run_dtypes = args->dtypes;
  return NULL;
}
PLANT(with_random) { kernels.find = find_uniform; }

/* -- no defect: a library of products, and no kernel of matmul ----------------------------------
 */

PD_EXPORT long long products;

typedef struct Products {
  PdMatmulArgs args;
  float* out;
  const float *x, *y;
} Products;

HIDDEN void run_products(void* work) {
  const Products* p = work;
  const PdMatmulArgs* a = &p->args;
  float* out = p->out;
  for (int64_t b = 0; b < a->batch; ++b) {
    for (int64_t r = 0; r < a->rows; ++r) {
      for (int64_t c = 0; c < a->columns; ++c) {
        double sum = 0;
        for (int64_t d = 0; d < a->depth; ++d) {
          sum += (double)p->x[b * a->x_batch + r * a->x_row + d * a->x_depth] *
                 p->y[b * a->y_batch + d * a->y_depth + c * a->y_column];
        }
        *out++ = (float)sum;
      }
    }
  }
}
HIDDEN PdError* multiply_matrices(PdMatmulArgs* args) {
  const int64_t x = (args->batch - 1) * args->x_batch + (args->rows - 1) * args->x_row +
                    (args->depth - 1) * args->x_depth + 1;
  const int64_t y = (args->batch - 1) * args->y_batch + (args->depth - 1) * args->y_depth +
                    (args->columns - 1) * args->y_column + 1;
  const int64_t out = args->batch * args->rows * args->columns;
  CHECK((args->x_row == 1 || args->x_depth == 1) && (args->y_depth == 1 || args->y_column == 1),
        PD_ERROR_VALUE, "an operand is neither a matrix of rows nor a transposed one.");
  const Products work = {*args, (float*)(void*)skeleton_bytes(args->out, args->out_offset, 4 * out),
                         (const float*)(const void*)skeleton_bytes(args->x, args->x_offset, 4 * x),
                         (const float*)(const void*)skeleton_bytes(args->y, args->y_offset, 4 * y)};
  ++products;
  skeleton_issue(args->stream, run_products, &work, sizeof work);
  return NULL;
}
HIDDEN PdError* find_no_matmul(PdKernelArgs* args) {
  return strcmp(args->op, "matmul") ? true_kernels.find(args) : NULL;
}
__attribute__((unused)) static PdLibraryGroup library = {sizeof(PdLibraryGroup),
                                                         PD_DTYPE_BIT(PD_FLOAT32), NULL};
PLANT(with_library) {
  kernels.find = find_no_matmul;
  library.matmul = multiply_matrices;
  plugin.library = &library;
}
PLANT(library_without_functions) { plugin.library = &library; }

/* -- no defect: a profiler of copies and of additions -------------------------------------------
 */

#define MOST_SPANS 10000
typedef struct Timed {
  const char* name;
  PdDevice device;
  int64_t times[2];
} Timed;
static Timed spans[MOST_SPANS];
static int profiling, span_count;

typedef struct Stamp {
  int64_t* time;
} Stamp;

HIDDEN void stamp(void* work) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *((Stamp*)work)->time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* Times what is issued between two calls: -1 begins a span and gives its number. */
HIDDEN int timed(PdStream stream, PdDevice on, const char* name, int span) {
  const int begins = span < 0;
  if (begins) span = profiling ? __sync_fetch_and_add(&span_count, 1) : MOST_SPANS;
  if (span >= MOST_SPANS) return MOST_SPANS;
  if (begins) spans[span] = (Timed){name, on, {0, 0}};
  const Stamp work = {&spans[span].times[!begins]};
  skeleton_issue(stream, stamp, &work, sizeof work);
  return span;
}
HIDDEN PdError* timed_copy(PdCopyArgs* args) {
  const int span = timed(args->stream, args->device, "copy", -1);
  PdError* error = true_memory.copy(args);
  timed(args->stream, args->device, "copy", span);
  return error;
}
HIDDEN PdError* timed_add(const PdKernelCall* call) {
  const int span = timed(call->stream, call->device, "add", -1);
  PdError* error = run_found(call);
  timed(call->stream, call->device, "add", span);
  return error;
}
HIDDEN PdError* find_timed(PdKernelArgs* args) { return find_wrapped(args, "add", timed_add); }
HIDDEN PdError* start_profiler(PdProfilerArgs* args) {
  profiling = args->now_ns > 0;
  span_count = 0;
  return NULL;
}
HIDDEN PdError* stop_profiler(PdProfilerArgs* args) {
  profiling = 0;
  for (int i = 0; i < span_count && i < MOST_SPANS; ++i) {
    PdDeviceArgs wait = {sizeof wait, NULL, spans[i].device};
    TRY(true_device.synchronize(&wait));
    const PdSpanArgs span = {sizeof span, args->receiver,    spans[i].name,
                             "a stream",  spans[i].times[0], spans[i].times[1]};
    args->emit(&span);
  }
  return NULL;
}
__attribute__((unused)) static PdProfilerGroup profiler = {sizeof(PdProfilerGroup), NULL, NULL};
PLANT(with_profiler) {
  memory.copy = timed_copy;
  kernels.find = find_timed;
  profiler.start = start_profiler;
  profiler.stop = stop_profiler;
  plugin.profiler = &profiler;
}

HIDDEN PdError* stop_backwards(PdProfilerArgs* args) {
  const PdSpanArgs span = {sizeof span, args->receiver, "work", "a stream", args->now_ns, 5};
  args->emit(&span);
  return NULL;
}
HIDDEN PdError* stop_silently(PdProfilerArgs* args) {
  profiling = args->now_ns == 0;
  return NULL;
}
PLANT(missing_spans) {
  profiler.start = start_profiler;
  profiler.stop = stop_silently;
  plugin.profiler = &profiler;
}
PLANT(backward_spans) {
  profiler.start = start_profiler;
  profiler.stop = stop_backwards;
  plugin.profiler = &profiler;
}

/* -- the entry point ----------------------------------------------------------------------- */

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOINED(a, b) a##b
#define PLANTED(name) JOINED(plant_, name)()

PdError* paddle_device_plugin(PdEntryArgs* args) {
  TRY(skeleton_plugin(args));
  plugin = *args->plugin;
  plugin.device_type = TEXT(DEFECT);
  device = true_device = *plugin.device;
  memory = true_memory = *plugin.memory;
  streams = true_streams = *plugin.streams;
  events = true_events = *plugin.events;
  kernels = true_kernels = *plugin.kernels;
  plugin.device = &device;
  plugin.memory = &memory;
  plugin.streams = &streams;
  plugin.events = &events;
  plugin.kernels = &kernels;
  PLANTED(DEFECT);
  args->plugin = &plugin;
  return NULL;
}
