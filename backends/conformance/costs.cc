// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cases: what stays behind after many rounds, and figures.
#include <dirent.h>

#include <chrono>
#include <cstdio>

#include "cases.h"

namespace paddle::conformance {
namespace {

constexpr int kRounds = 1000;

int64_t resident_bytes() {
  int64_t pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file) std::fclose(file);
  return resident * 4096;
}

int64_t entries_of(const char* folder) {
  int64_t count = 0;
  DIR* const open = opendir(folder);
  while (open && readdir(open)) ++count;
  if (open) closedir(open);
  return count;
}

// Runs rounds that leave nothing, then the same number again: what grew in these stays behind.
template <typename Round>
void leaves_nothing(const char* what, int rounds, Round&& round) {
  for (int i = 0; i < rounds; ++i) round();
  const int64_t memory = resident_bytes(), threads = entries_of("/proc/self/task"),
                files = entries_of("/proc/self/fd");
  for (int i = 0; i < rounds; ++i) round();
  const int64_t grew = resident_bytes() - memory;
  expect(entries_of("/proc/self/task") <= threads, std::string(what) + " leave threads behind");
  expect(entries_of("/proc/self/fd") <= files, std::string(what) + " leave open files behind");
  // 16 bytes a round are what the smallest object takes.
  expect(grew < 16 * rounds + (1 << 18), std::string(what) + " leave " + std::to_string(grew) +
                                             " bytes behind in " + std::to_string(rounds) +
                                             " rounds");
}

void blocks(const Subject& s, Figures&) {
  const Device device(s, 0);
  const int64_t bytes = device.properties().total_memory / 16 + 1;
  s.memory();
  // More than the device has in all.
  leaves_nothing("blocks", kRounds, [&] { Block(device, bytes).free(); });
}

void events(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  leaves_nothing("events", 100 * kRounds, [&] { Event(device).record(stream); });
}

void streams(const Subject& s, Figures&) {
  const Device device(s, 0);
  s.streams();
  leaves_nothing("streams", kRounds, [&] { Stream(device).destroy(); });
}

void errors(const Subject& s, Figures&) {
  leaves_nothing("errors", 100 * kRounds, [&] {
    PdOpenArgs args{};
    args.index = -1;
    s.call_wrongly(s.device().open, args, "device.open of -1");
  });
}

void devices(const Subject& s, Figures&) {
  leaves_nothing("devices", kRounds, [&] { Device(s, 0).close(); });
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void figures(const Subject& s, Figures& figures) {
  const Device device(s, 0);
  const Stream stream(device);
  constexpr int64_t kBytes = 64 << 20;
  const Block small(device, 256), x(device, kBytes), y(device, kBytes);
  const std::vector<uint8_t> host(kBytes, 1);
  const auto timed = [&](int rounds, auto&& run) {
    run();
    stream.synchronize();
    const double begin = seconds();
    for (int i = 0; i < rounds; ++i) run();
    stream.synchronize();
    return (seconds() - begin) / rounds;
  };
  figures["fill_256_bytes_us"] = 1e6 * timed(2000, [&] { fill(stream, small, 0, 256, 1); });
  figures["fill_and_wait_us"] = 1e6 * timed(500, [&] {
                                  fill(stream, small, 0, 256, 1);
                                  stream.synchronize();
                                });
  figures["host_to_device_GB_s"] =
      kBytes / 1e9 / timed(4, [&] { write(stream, x, 0, host.data(), kBytes); });
  figures["device_to_device_GB_s"] =
      kBytes / 1e9 / timed(4, [&] { copy(stream, y, 0, x, 0, kBytes); });
  try {
    const Add add(s);
    figures["add_64_elements_us"] =
        1e6 * timed(2000, [&] { add(stream, small, small, small, 64); });
  } catch (const NotThere&) {
  }
}

#if PD_VERSION_MINOR >= 1
// Spans lie within the time of the recording, on the host's clock.
void profiler(const Subject& s, Figures& figures) {
  if (!PD_HAS(&s.plugin(), profiler) || !s.plugin().profiler) {
    throw NotThere{"it has no group profiler"};
  }
  const PdProfilerGroup& group = *s.plugin().profiler;
  expect(group.start && group.stop, "a function of the group profiler is null");
  const auto now = [] {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  };
  struct Told {
    int64_t from = 0, to = 0, count = 0;
    std::string wrong;
  } told;
  const auto emit = [](const PdSpanArgs* span) {
    auto& into = *static_cast<Told*>(span->receiver);
    ++into.count;
    if (!span->name || !span->lane) into.wrong = "a span has no name or no lane";
    if (span->begin_ns > span->end_ns) into.wrong = "a span ends before it begins";
    if (span->begin_ns < into.from || span->end_ns > into.to) {
      into.wrong = "a span lies outside of the recording";
    }
  };
  const Device device(s, 0);
  const Stream stream(device);
  const Block x(device, 1 << 20), y(device, 1 << 20);
  PdProfilerArgs args{};
  told.from = args.now_ns = now();
  s.call(group.start, args, "profiler.start");
  for (int i = 0; i < 10; ++i) copy(stream, y, 0, x, 0, x.bytes);
  stream.synchronize();
  told.to = args.now_ns = now();
  args.emit = emit;
  args.receiver = &told;
  s.call(group.stop, args, "profiler.stop");
  expect(told.wrong.empty(), told.wrong);
  expect(told.count >= 10, "of ten copies " + std::to_string(told.count) + " were told");
  figures["profiler_spans_of_10_copies"] = static_cast<double>(told.count);
}
#endif

}  // namespace

std::vector<Case> cost_cases() {
  return {
    {"leaks/blocks", "silver", "1000 rounds leave no block behind", blocks},
        {"leaks/events", "silver", "events leave nothing behind", events},
        {"leaks/streams", "silver", "streams leave no thread and no memory behind", streams},
        {"leaks/errors", "silver", "error objects are freed", errors},
        {"leaks/devices", "gold", "a device that was opened and closed leaves nothing", devices},
#if PD_VERSION_MINOR >= 1
        {"profiler/clocks", "none", "spans lie where the work was", profiler},
#endif
        {"figures/rates", "gold", "launches and copies are measured", figures},
  };
}

}  // namespace paddle::conformance
