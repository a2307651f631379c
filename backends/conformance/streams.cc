// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cases: the order of work. Random graphs of copies, fills and kernels run on several streams, with
// no more waits than the model asks for; what comes out must be what one stream gives.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>

#include "cases.h"

namespace paddle::conformance {
namespace {

constexpr int64_t kLarge = 1 << 18;

void one_stream_keeps_order(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  const Block block(device, kLarge), other(device, kLarge);
  for (int round = 0; round < 40; ++round) {
    fill(stream, block, 0, kLarge, round);
    copy(stream, other, 0, block, 0, kLarge);
    fill(stream, block, 0, kLarge, 0xff);
    std::vector<uint8_t> got(kLarge, 0xEE);
    read(stream, got.data(), other, 0, kLarge);
    stream.synchronize();
    expect(std::all_of(got.begin(), got.end(), [&](uint8_t b) { return b == round; }),
           "round " + std::to_string(round) + ": work overtook work of the same stream");
  }
}

// Both kinds of waiting, by the values that must have arrived.
void synchronization_waits(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream first(device), second(device);
  const Block block(device, kLarge), other(device, kLarge);
  for (int round = 1; round < 60; ++round) {
    std::vector<uint8_t> got(kLarge, 0), also(kLarge, 0);
    fill(first, block, 0, kLarge, round);
    read(first, got.data(), block, 0, kLarge);
    fill(second, other, 0, kLarge, round);
    read(second, also.data(), other, 0, kLarge);
    if (round % 2) {
      first.synchronize();
      second.synchronize();
    } else {
      device.synchronize();
    }
    expect(got.back() == round && also.back() == round,
           std::string(round % 2 ? "streams.synchronize" : "device.synchronize") +
               " returned before the work was done");
  }
}

void queries_tell_the_truth(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  if (!stream.raw) throw NotThere{"it has no group streams"};
  const Block block(device, kLarge);
  for (int round = 1; round < 60; ++round) {
    std::vector<uint8_t> got(kLarge, 0);
    fill(stream, block, 0, kLarge, round);
    read(stream, got.data(), block, 0, kLarge);
    const bool done = stream.query();
    const bool arrived = got.back() == round;
    expect(!done || arrived, "streams.query says done before the work is");
    stream.synchronize();
    expect(stream.query(), "streams.query says that work is left after streams.synchronize");
  }
}

void many_streams(const Subject& s, Figures&) {
  const Device device(s, 0);
  s.streams();
  for (int round = 0; round < 4; ++round) {
    std::deque<Stream> streams;
    std::deque<Block> blocks;
    for (int i = 0; i < 32; ++i) {
      fill(streams.emplace_back(device, i % 3 - 1), blocks.emplace_back(device, 999), 0, 999, i);
    }
    for (size_t i = 0; i < 32; ++i) {
      expect(values(streams[i], blocks[i]) == std::vector<uint8_t>(999, static_cast<uint8_t>(i)),
             "stream " + std::to_string(i) + " of 32 lost its work");
    }
    for (Stream& stream : streams) stream.destroy();
  }
}

void events_tell_the_truth(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream stream(device);
  const Event event(device);
  expect(event.query(), "events.query of an event that was not recorded says no");
  event.synchronize();
  const Block block(device, kLarge);
  for (int round = 1; round < 60; ++round) {
    std::vector<uint8_t> got(kLarge, 0);
    fill(stream, block, 0, kLarge, round);
    read(stream, got.data(), block, 0, kLarge);
    event.record(stream);
    const bool done = event.query();
    const bool arrived = got.back() == round;
    expect(!done || arrived, "events.query says yes before the work is done");
    event.synchronize();
    expect(got.back() == round, "events.synchronize returned before the work was done");
    expect(event.query(), "events.query says no after events.synchronize");
  }
}

// What waited before keeps the earlier point: with the later one, these streams wait for each
// other.
void events_are_recorded_again(const Subject& s, Figures&) {
  const Device device(s, 0);
  const Stream first(device), second(device);
  const Event there(device), back(device);
  const Block x(device, kLarge), y(device, kLarge);
  for (int round = 1; round < 40; ++round) {
    fill(first, x, 0, kLarge, round);
    there.record(first);
    there.wait(second);
    copy(second, y, 0, x, 0, kLarge);
    back.record(second);
    back.wait(first);
    fill(first, x, 0, kLarge, 0);
    there.record(first);
    expect(values(second, y) == std::vector<uint8_t>(kLarge, static_cast<uint8_t>(round)),
           "a wait missed the point that the event had when it was issued");
    first.synchronize();
  }
}

#if PD_VERSION_MINOR >= 1
// Work that is known to take a while lies between the two.
void elapsed_time(const Subject& s, Figures&) {
  if (!PD_HAS(&s.events(), elapsed) || !s.events().elapsed) {
    throw NotThere{"events.elapsed is null"};
  }
  const Device device(s, 0);
  const Stream stream(device);
  const Block block(device, kLarge);
  const Event begin(device, 1), middle(device, 1), end(device, 1), plain(device);
  const auto between = [&](const Event& a, const Event& b) {
    PdElapsedArgs args{};
    args.device = device.raw;
    args.begin = a.raw;
    args.end = b.raw;
    args.milliseconds = -1e300;
    s.call(s.events().elapsed, args, "events.elapsed");
    return args.milliseconds;
  };
  for (int round = 0; round < 20; ++round) {
    const auto started = std::chrono::steady_clock::now();
    begin.record(stream);
    for (int i = 0; i < 20; ++i) fill(stream, block, 0, kLarge, i);
    middle.record(stream);
    for (int i = 0; i < 20; ++i) fill(stream, block, 0, kLarge, i);
    end.record(stream);
    end.synchronize();
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - started;
    const double first = between(begin, middle), second = between(middle, end);
    expect(first >= 0 && second >= 0, "time runs backwards between events of a stream");
    expect(first + second > 0, "no time passes");
    expect(between(begin, end) <= passed.count() * 1.05 + 0.1,
           "more time passed between two events than on the host's clock");
  }
}
#endif

// -- random graphs -------------------------------------------------------------------------------

// Who wrote and read a block last, by the number of the work.
struct Uses {
  int writer = -1;
  std::vector<int> readers;
};

class Graph {
 public:
  static constexpr int kStreams = 4, kBlocks = 6;
  static constexpr int64_t kCount = 2048, kBytes = 4 * kCount;

  Graph(const Subject& s, const Device& device, uint64_t seed) : device_(device), random_(seed) {
    for (int i = 0; i < kStreams; ++i) streams_.emplace_back(device, i % 2);
    for (int i = 0; i < kBlocks; ++i) {
      blocks_.emplace_back(device, kBytes);
      model_.emplace_back(kCount, 0.0F);
      fill(streams_[0], blocks_.back(), 0, kBytes, 0);
    }
    streams_[0].synchronize();
    try {
      add_ = std::make_unique<Add>(s);
    } catch (const NotThere&) {
    }
    known_.assign(kStreams, std::vector<int>(kStreams, -1));
  }

  void step() {
    const int to = pick(), x = pick(), y = pick();
    switch (random_.below(add_ ? 4 : 3)) {
      case 0: {  // from the host
        auto& given = written_.emplace_back(kCount);
        for (float& v : given) v = static_cast<float>(random_.below(1000));
        begin({}, to);
        write(stream(), block(to), 0, given.data(), kBytes);
        model(to) = given;
        break;
      }
      case 1:  // to the host
        begin({x}, -1);
        expected_.push_back(model(x));
        read(stream(), got_.emplace_back(kCount, -1.0F).data(), block(x), 0, kBytes);
        break;
      case 2:
        if (to == x) return;
        begin({x}, to);
        copy(stream(), block(to), 0, block(x), 0, kBytes);
        model(to) = model(x);
        break;
      default: {
        if (to == x || to == y) return;
        begin({x, y}, to);
        (*add_)(stream(), block(to), block(x), block(y), kCount);
        for (size_t i = 0; i < kCount; ++i) model(to)[i] = model(x)[i] + model(y)[i];
      }
    }
    end();
  }

  void check() {
    for (const Stream& stream : streams_) stream.synchronize();
    for (size_t i = 0; i < got_.size(); ++i) {
      expect(got_[i] == expected_[i],
             "read " + std::to_string(i) + " of a random graph of " + std::to_string(done_.size()) +
                 " pieces of work found other values than its order gives");
    }
    for (int i = 0; i < kBlocks; ++i) {
      std::vector<float> found(kCount);
      read(streams_[0], found.data(), block(i), 0, kBytes);
      streams_[0].synchronize();
      expect(found == model(i), "a random graph left other values than its order gives");
    }
  }

 private:
  int pick() { return static_cast<int>(random_.below(kBlocks)); }
  const Stream& stream() const { return streams_[static_cast<size_t>(on_)]; }
  const Block& block(int i) const { return blocks_[static_cast<size_t>(i)]; }
  std::vector<float>& model(int i) { return model_[static_cast<size_t>(i)]; }

  // Chooses a stream and lets it wait for what the work conflicts with, unless that is known to
  // come before already.
  void begin(const std::vector<int>& reads, int writes) {
    on_ = static_cast<int>(random_.below(kStreams));
    const int number = static_cast<int>(done_.size());
    for (const int r : reads) {
      after(uses_[r].writer);
      uses_[r].readers.push_back(number);
    }
    if (writes < 0) return;
    after(uses_[writes].writer);
    for (const int reader : uses_[writes].readers) {
      if (reader != number) after(reader);
    }
    uses_[writes] = {number, {}};
  }

  void after(int work) {
    if (work < 0) return;
    const Done& other = *done_[static_cast<size_t>(work)];
    std::vector<int>& known = known_[static_cast<size_t>(on_)];
    if (other.on == on_ || known[static_cast<size_t>(other.on)] >= work) return;
    other.event.wait(stream());
    for (size_t i = 0; i < known.size(); ++i) known[i] = std::max(known[i], other.known[i]);
  }

  void end() {
    const int number = static_cast<int>(done_.size());
    known_[static_cast<size_t>(on_)][static_cast<size_t>(on_)] = number;
    done_.push_back(std::make_unique<Done>(device_, on_, known_[static_cast<size_t>(on_)]));
    done_.back()->event.record(stream());
  }

  struct Done {
    Done(const Device& device, int stream, std::vector<int> clock)
        : event(device), on(stream), known(std::move(clock)) {}
    Event event;
    int on;
    std::vector<int> known;  // the last work of each stream that comes before its end
  };

  const Device& device_;
  Random random_;
  std::deque<Stream> streams_;
  std::deque<Block> blocks_;
  std::vector<std::vector<float>> model_;
  std::unique_ptr<Add> add_;
  std::vector<std::vector<int>> known_;
  std::vector<std::unique_ptr<Done>> done_;
  std::deque<std::vector<float>> written_, got_, expected_;
  Uses uses_[kBlocks];
  int on_ = 0;
};

void random_graphs(const Subject& s, Figures&) {
  const Device device(s, 0);
  s.events();
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Graph graph(s, device, seed);
    for (int i = 0; i < 120; ++i) graph.step();
    graph.check();
  }
}

}  // namespace

std::vector<Case> stream_cases() {
  return {
    {"streams/order", "bronze", "work of a stream runs in order", one_stream_keeps_order},
        {"streams/synchronize", "bronze", "waiting waits", synchronization_waits},
        {"streams/query", "silver", "queries tell the truth", queries_tell_the_truth},
        {"streams/many", "silver", "32 streams of all priorities work at once", many_streams},
        {"events/query", "silver", "events tell the truth", events_tell_the_truth},
        {"events/recorded_again", "silver", "a wait keeps the point that the event had",
         events_are_recorded_again},
#if PD_VERSION_MINOR >= 1
        {"events/elapsed", "gold", "events tell the time between them", elapsed_time},
#endif
        {"events/random_graphs", "silver", "random graphs on 4 streams keep their partial order",
         random_graphs},
  };
}

}  // namespace paddle::conformance
