/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The entry point, devices, and memory. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "skeleton.h"

#define DEVICES 2

int skeleton_traps = 1, skeleton_lag = 1;
const PdHost* skeleton_host;

struct PdDeviceObject {
  int index, open;
  int64_t used; /* bytes */
};

struct PdMemoryObject {
  uint64_t mark; /* of memory that is there */
  char* bytes;
  int64_t size;
};

static struct PdDeviceObject devices[DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t capacity = (int64_t)8 << 30;

static void release_error(PdError* error) { free(error); }

PdError* skeleton_error(PdErrorKind kind, const char* format, ...) {
  struct Text {
    PdError error;
    char text[512];
  }* made = calloc(1, sizeof *made);
  va_list values;
  va_start(values, format);
  vsnprintf(made->text, sizeof made->text, format, values);
  va_end(values);
  made->error = (PdError){sizeof(PdError), kind, made->text, NULL, release_error};
  return &made->error;
}

/* -- devices ------------------------------------------------------------------------------- */

static PdError* count_devices(PdCountArgs* args) {
  args->count = DEVICES;
  return NULL;
}

static PdError* open_device(PdOpenArgs* args) {
  CHECK(args->index >= 0 && args->index < DEVICES, PD_ERROR_VALUE, "there is no device %d of %d.",
        (int)args->index, DEVICES);
  args->device = &devices[args->index];
  CHECK(!args->device->open, PD_ERROR_VALUE, "device %d is open already.", (int)args->index);
  args->device->index = args->index;
  args->device->open = 1;
  return NULL;
}

static PdError* close_device(PdDeviceArgs* args) {
  CHECK(args->device->open, PD_ERROR_VALUE, "the device is not open.");
  CHECK(args->device->used == 0, PD_ERROR_VALUE, "%lld bytes of the device are in use.",
        (long long)args->device->used);
  args->device->open = 0;
  return NULL;
}

static PdError* properties(PdPropertiesArgs* args) {
  snprintf(args->name, sizeof args->name, "skeleton on host memory");
  args->total_memory = capacity;
  args->multiprocessors = args->major = 1;
  args->minor = 0;
  return NULL;
}

/* The second device differs from the first, so that both answers are seen. */
static PdError* has(PdCapabilityArgs* args) {
  args->has = args->capability == (args->device->index == 0 ? PD_CAPABILITY_PINNED_MEMORY
                                                            : PD_CAPABILITY_CHANNELS_LAST);
  return NULL;
}

static PdError* synchronize(PdDeviceArgs* args) {
  skeleton_wait_for_all(args->device);
  return NULL;
}

#if PD_VERSION_MINOR >= 1
static PdError* memory_info(PdMemoryInfoArgs* args) {
  pthread_mutex_lock(&lock);
  args->free = capacity - args->device->used;
  pthread_mutex_unlock(&lock);
  args->total = capacity;
  return NULL;
}
#endif

/* -- memory -------------------------------------------------------------------------------- */

/* With traps a handle is no address: whoever follows it ends with a signal. */
static const uintptr_t kTrap = (uintptr_t)0xA5 << (8 * (sizeof(uintptr_t) - 1));
static const uint64_t kMark = UINT64_C(0x5ce1e70115ab10c5);

static PdMemory unwrapped(PdMemory handle) {
  return skeleton_traps ? (PdMemory)((uintptr_t)handle ^ kTrap) : handle;
}

char* skeleton_bytes(PdMemory handle, int64_t offset, int64_t bytes) {
  PdMemory memory = unwrapped(handle);
  if (skeleton_traps && (memory->mark != kMark || offset < 0 || offset + bytes > memory->size)) {
    fprintf(stderr, "skeleton: %lld bytes at %lld of a block of %lld bytes are no memory.\n",
            (long long)bytes, (long long)offset, (long long)memory->size);
    abort();
  }
  return memory->bytes + offset;
}

/* Counts bytes as used, or with a negative number as given back; false when they do not fit. */
static int use(PdDevice device, int64_t bytes) {
  pthread_mutex_lock(&lock);
  const int fits = bytes <= capacity - device->used;
  if (fits) device->used += bytes;
  pthread_mutex_unlock(&lock);
  return fits;
}

static PdError* allocate(PdAllocateArgs* args) {
  CHECK(args->bytes >= 1, PD_ERROR_VALUE, "%lld bytes were asked for.", (long long)args->bytes);
  CHECK(use(args->device, args->bytes), PD_ERROR_MEMORY, "%lld bytes do not fit into %lld.",
        (long long)args->bytes, (long long)capacity);
  PdMemory memory = calloc(1, sizeof *memory);
  memory->mark = kMark;
  memory->size = args->bytes;
  memory->bytes = mmap(NULL, (size_t)args->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory->bytes == MAP_FAILED) abort();
  args->memory = unwrapped(memory);
  return NULL;
}

static PdError* free_memory(PdFreeArgs* args) {
  PdMemory memory = unwrapped(args->memory);
  munmap(skeleton_bytes(args->memory, 0, args->bytes), (size_t)memory->size);
  use(args->device, -memory->size);
  memory->mark = 0;
  free(memory);
  return NULL;
}

static PdError* allocate_host(PdAllocateArgs* args) {
  args->host = aligned_alloc(64, ((size_t)args->bytes + 63) / 64 * 64);
  CHECK(args->host, PD_ERROR_MEMORY, "the host has no %lld bytes.", (long long)args->bytes);
  return NULL;
}

static PdError* free_host(PdFreeArgs* args) {
  free(args->host);
  return NULL;
}

struct Move {
  char* to;
  const char* from;
  size_t bytes;
  int value;
};

static void run_move(void* work) {
  const struct Move* m = work;
  if (m->from) {
    memmove(m->to, m->from, m->bytes);
  } else {
    memset(m->to, m->value, m->bytes);
  }
}

static PdError* copy(PdCopyArgs* args) {
  struct Move work = {args->target_host, args->source_host, (size_t)args->bytes, 0};
  if (args->target) work.to = skeleton_bytes(args->target, args->target_offset, args->bytes);
  if (args->source) work.from = skeleton_bytes(args->source, args->source_offset, args->bytes);
  skeleton_issue(args->stream, run_move, &work, sizeof work);
  return NULL;
}

static PdError* fill(PdFillArgs* args) {
  const struct Move work = {skeleton_bytes(args->memory, args->offset, args->bytes), NULL,
                            (size_t)args->bytes, args->value};
  skeleton_issue(args->stream, run_move, &work, sizeof work);
  return NULL;
}

/* -- the plugin ---------------------------------------------------------------------------- */

static const PdDeviceGroup device_group = {.struct_size = sizeof(PdDeviceGroup),
                                           .count = count_devices,
                                           .open = open_device,
                                           .close = close_device,
                                           .properties = properties,
                                           .has = has,
#if PD_VERSION_MINOR >= 1
                                           .memory_info = memory_info,
#endif
                                           .synchronize = synchronize};

static const PdMemoryGroup memory_group = {sizeof(PdMemoryGroup), allocate, free_memory, copy, fill,
                                           allocate_host,         free_host};

static const PdPlugin plugin = {.struct_size = sizeof(PdPlugin),
                                .major = PD_VERSION_MAJOR,
                                .minor = PD_VERSION_MINOR,
                                .device_type = "skeleton",
                                .version = "1",
                                .device = &device_group,
                                .memory = &memory_group,
                                .streams = &skeleton_streams,
                                .events = &skeleton_events,
                                .kernels = &skeleton_kernels};

static int is_on(const char* variable) {
  const char* value = getenv(variable);
  return !value || strcmp(value, "0") != 0;
}

PdError* paddle_device_plugin(PdEntryArgs* args) {
  CHECK(args->host->major == PD_VERSION_MAJOR, PD_ERROR_RUNTIME,
        "the host has version %u of the interface, this plugin %d.", args->host->major,
        PD_VERSION_MAJOR);
  skeleton_host = args->host;
  skeleton_traps = is_on("PADDLE_SKELETON_TRAPS");
  skeleton_lag = is_on("PADDLE_SKELETON_LAG");
  if (getenv("PADDLE_SKELETON_MEMORY")) capacity = atoll(getenv("PADDLE_SKELETON_MEMORY"));
  args->plugin = &plugin;
  return NULL;
}
