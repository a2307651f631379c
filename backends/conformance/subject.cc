// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of the plugin under test.
#include "subject.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace paddle::conformance {
namespace {

char absent_message[] = "the conformance suite calls kernels that need nothing of the host";
PdError absent{sizeof(PdError), PD_ERROR_NOT_IMPLEMENTED, absent_message, nullptr, nullptr};

const PdHost kHost{sizeof(PdHost), PD_VERSION_MAJOR, PD_VERSION_MINOR,
                   [](PdOutputArgs*) { return &absent; }, [](PdScratchArgs*) { return &absent; }};

}  // namespace

void fail(const std::string& what) {
  std::printf("failed\t%s\n", what.c_str());
  std::fflush(stdout);
  _exit(0);
}

Subject::Subject(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(path + " cannot be loaded: " + dlerror());
  const auto entry = reinterpret_cast<PdEntry>(dlsym(library, PD_ENTRY_NAME));
  expect(entry, path + " has no function " PD_ENTRY_NAME);
  PdEntryArgs args{sizeof args, &kHost, nullptr};
  if (PdError* error = entry(&args)) fail(PD_ENTRY_NAME ": " + told(error));
  expect(args.plugin, PD_ENTRY_NAME " gave no plugin");
  expect(args.plugin->major == PD_VERSION_MAJOR, "the plugin has another major version");
  expect(args.plugin->device, "the group device is null");
  plugin_ = args.plugin;
}

std::string Subject::told(PdError* error, int32_t* kind) const {
  expect(error->struct_size >= sizeof(PdError),
         "an error object has a struct_size that is too small");
  expect(error->message && *error->message, "an error object has no message");
  expect(error->kind >= PD_ERROR_RUNTIME && error->kind <= PD_ERROR_OS,
         "an error object has kind " + std::to_string(error->kind));
  if (kind) *kind = error->kind;
  std::string message = error->message;
  if (error->release) error->release(error);
  return message;
}

#define GROUP(type, name)                                         \
  const type& Subject::name() const {                             \
    if (!plugin_->name) throw NotThere{"it has no group " #name}; \
    return *plugin_->name;                                        \
  }
GROUP(PdMemoryGroup, memory)
GROUP(PdStreamGroup, streams)
GROUP(PdEventGroup, events)
GROUP(PdKernelGroup, kernels)

int32_t Subject::count() const {
  PdCountArgs args{};
  args.count = -1;
  call(device().count, args, "device.count");
  expect(args.count >= 0, "device.count gave " + std::to_string(args.count));
  return args.count;
}

// -- devices -------------------------------------------------------------------------------------

Device::Device(const Subject& s, int32_t index) : subject(s) {
  if (s.count() <= index) throw NotThere{"there is no device " + std::to_string(index)};
  PdOpenArgs args{};
  args.index = index;
  s.call(s.device().open, args, "device.open");
  expect(args.device, "device.open gave a null device");
  raw = args.device;
}

Device::~Device() {
  if (!raw) return;
  PdDeviceArgs args{0, nullptr, raw};
  subject.attempt(subject.device().close, args);  // a failure was told already, if there was one
}

void Device::close() {
  PdDeviceArgs args{0, nullptr, std::exchange(raw, nullptr)};
  subject.call(subject.device().close, args, "device.close");
}

bool Device::has(int32_t capability) const {
  PdCapabilityArgs args{};
  args.device = raw;
  args.capability = capability;
  args.has = -1;
  subject.call(subject.device().has, args, "device.has");
  expect(args.has == 0 || args.has == 1, "device.has gave " + std::to_string(args.has));
  return args.has == 1;
}

PdPropertiesArgs Device::properties() const {
  PdPropertiesArgs args{};
  args.device = raw;
  std::memset(args.name, 1, sizeof args.name);
  subject.call(subject.device().properties, args, "device.properties");
  return args;
}

void Device::synchronize() const {
  PdDeviceArgs args{0, nullptr, raw};
  subject.call(subject.device().synchronize, args, "device.synchronize");
}

// -- streams -------------------------------------------------------------------------------------

Stream::Stream(const Device& d, int32_t priority) : device(d) {
  if (!d.subject.plugin().streams) return;
  PdStreamArgs args{};
  args.device = d.raw;
  args.priority = priority;
  d.subject.call(d.subject.streams().create, args, "streams.create");
  expect(args.stream, "streams.create gave a null stream");
  raw = args.stream;
}

Stream::~Stream() {
  if (!raw) return;
  PdStreamArgs args{0, nullptr, device.raw, 0, raw, 0};
  device.subject.attempt(device.subject.streams().synchronize, args);
  device.subject.attempt(device.subject.streams().destroy, args);
}

void Stream::destroy() {
  PdStreamArgs args{0, nullptr, device.raw, 0, std::exchange(raw, nullptr), 0};
  device.subject.call(device.subject.streams().destroy, args, "streams.destroy");
}

void Stream::synchronize() const {
  if (!raw) return;
  PdStreamArgs args{0, nullptr, device.raw, 0, raw, 0};
  device.subject.call(device.subject.streams().synchronize, args, "streams.synchronize");
}

bool Stream::query() const {
  PdStreamArgs args{0, nullptr, device.raw, 0, raw, -1};
  device.subject.call(device.subject.streams().query, args, "streams.query");
  expect(args.done == 0 || args.done == 1, "streams.query gave " + std::to_string(args.done));
  return args.done == 1;
}

// -- events --------------------------------------------------------------------------------------

PdEventArgs Event::arguments(PdStream stream) const {
  PdEventArgs args{};
  args.device = device.raw;
  args.stream = stream;
  args.event = raw;
  args.done = -1;
  return args;
}

Event::Event(const Device& d, [[maybe_unused]] int32_t timed) : device(d) {
  PdEventArgs args = arguments(nullptr);
#if PD_VERSION_MINOR >= 1
  args.timed = timed;
#endif
  d.subject.call(d.subject.events().create, args, "events.create");
  expect(args.event, "events.create gave a null event");
  raw = args.event;
}

Event::~Event() {
  PdEventArgs args = arguments(nullptr);
  device.subject.attempt(device.subject.events().destroy, args);
}

void Event::record(const Stream& stream) const {
  PdEventArgs args = arguments(stream.raw);
  device.subject.call(device.subject.events().record, args, "events.record");
}

void Event::wait(const Stream& stream) const {
  PdEventArgs args = arguments(stream.raw);
  device.subject.call(device.subject.events().wait, args, "events.wait");
}

bool Event::query() const {
  PdEventArgs args = arguments(nullptr);
  device.subject.call(device.subject.events().query, args, "events.query");
  expect(args.done == 0 || args.done == 1, "events.query gave " + std::to_string(args.done));
  return args.done == 1;
}

void Event::synchronize() const {
  PdEventArgs args = arguments(nullptr);
  device.subject.call(device.subject.events().synchronize, args, "events.synchronize");
}

// -- memory --------------------------------------------------------------------------------------

Block::Block(const Device& d, int64_t size) : device(d), bytes(size) {
  PdAllocateArgs args{};
  args.device = d.raw;
  args.bytes = size;
  d.subject.call(d.subject.memory().allocate, args, "memory.allocate");
  expect(args.memory, "memory.allocate gave a null handle");
  raw = args.memory;
}

Block::~Block() {
  if (!raw) return;
  PdFreeArgs args{0, nullptr, device.raw, raw, nullptr, bytes};
  device.subject.attempt(device.subject.memory().free, args);
}

void Block::free() {
  PdFreeArgs args{0, nullptr, device.raw, std::exchange(raw, nullptr), nullptr, bytes};
  device.subject.call(device.subject.memory().free, args, "memory.free");
}

namespace {

PdCopyArgs copy_on(const Stream& stream, int64_t bytes) {
  PdCopyArgs args{};
  args.device = stream.device.raw;
  args.stream = stream.raw;
  args.bytes = bytes;
  return args;
}

void issue(const Stream& stream, PdCopyArgs& args) {
  stream.device.subject.call(stream.device.subject.memory().copy, args, "memory.copy");
}

}  // namespace

void write(const Stream& stream, const Block& to, int64_t offset, const void* from, int64_t bytes) {
  PdCopyArgs args = copy_on(stream, bytes);
  args.target_device = to.device.raw;
  args.target = to.raw;
  args.target_offset = offset;
  args.source_host = from;
  issue(stream, args);
}

void read(const Stream& stream, void* to, const Block& from, int64_t offset, int64_t bytes) {
  PdCopyArgs args = copy_on(stream, bytes);
  args.source_device = from.device.raw;
  args.source = from.raw;
  args.source_offset = offset;
  args.target_host = to;
  issue(stream, args);
}

void copy(const Stream& stream, const Block& to, int64_t to_offset, const Block& from,
          int64_t from_offset, int64_t bytes) {
  PdCopyArgs args = copy_on(stream, bytes);
  args.target_device = to.device.raw;
  args.target = to.raw;
  args.target_offset = to_offset;
  args.source_device = from.device.raw;
  args.source = from.raw;
  args.source_offset = from_offset;
  issue(stream, args);
}

void fill(const Stream& stream, const Block& to, int64_t offset, int64_t bytes, int32_t value) {
  PdFillArgs args{};
  args.device = stream.device.raw;
  args.stream = stream.raw;
  args.memory = to.raw;
  args.offset = offset;
  args.bytes = bytes;
  args.value = value;
  stream.device.subject.call(stream.device.subject.memory().fill, args, "memory.fill");
}

std::vector<uint8_t> values(const Stream& stream, const Block& block) {
  std::vector<uint8_t> found(static_cast<size_t>(block.bytes), 0xEE);
  read(stream, found.data(), block, 0, block.bytes);
  stream.synchronize();
  return found;
}

std::vector<uint8_t> Random::bytes(int64_t count) {
  std::vector<uint8_t> made(static_cast<size_t>(count));
  for (uint8_t& byte : made) byte = static_cast<uint8_t>(next() >> 24);
  return made;
}

// -- a kernel ------------------------------------------------------------------------------------

Add::Add(const Subject& subject) : subject_(subject) {
  found_.op = "add";
  found_.dtypes = PD_DTYPE_BIT(PD_FLOAT32);
  subject.call(subject.kernels().find, found_, "kernels.find");
  if (!found_.run) throw NotThere{"it has no kernel of add for float32"};
}

void Add::operator()(const Stream& stream, const Block& out, const Block& x, const Block& y,
                     int64_t count) const {
  const int64_t shape[] = {count}, strides[] = {1};
  const auto tensor = [&](const Block& block) {
    return PdTensor{sizeof(PdTensor), PD_FLOAT32, 1, count, shape, strides, 0, block.raw, nullptr};
  };
  const PdTensor result = tensor(out), first = tensor(x), second = tensor(y);
  PdValue values[2]{};
  const PdTensor* const operands[] = {&first, &second};
  for (size_t i = 0; i < 2; ++i) {
    values[i].struct_size = sizeof(PdValue);
    values[i].kind = PD_VALUE_TENSOR;
    values[i].as.tensor = operands[i];
  }
  const PdTensor* const outputs[] = {&result};
  PdKernelCall call{};
  call.struct_size = sizeof call;
  call.context = found_.run_context;
  call.op = "add";
  call.device = stream.device.raw;
  call.stream = stream.raw;
  call.arguments = values;
  call.argument_count = 2;
  call.outputs = outputs;
  call.output_count = 1;
  if (PdError* error = found_.run(&call)) fail("the kernel of add: " + subject_.told(error));
}

}  // namespace paddle::conformance
