// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/call_label.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <sstream>

#include "paddle_core/base/error.h"

namespace paddle::distributed {
namespace {

struct Head {
  uint64_t call;
  int32_t root;
  uint32_t gives, takes, refusal;
  uint8_t collective, dtype, kind, unused[5];
};
static_assert(sizeof(Head) == 32);

void append(std::vector<char>& out, const void* data, size_t bytes) {
  out.insert(out.end(), static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
}

class Reader {
 public:
  Reader(const char* data, size_t bytes) : at_(data), left_(bytes) {}
  void read(void* out, size_t bytes) {
    PADDLE_CHECK_VALUE(bytes <= left_, "a label of a collective ends early");
    std::memcpy(out, at_, bytes);
    at_ += bytes;
    left_ -= bytes;
  }
  size_t left() const { return left_; }

 private:
  const char* at_;
  size_t left_;
};

void append_shapes(std::vector<char>& out, const std::vector<CallLabel::Extents>& shapes) {
  for (const CallLabel::Extents& shape : shapes) {
    const int64_t dims = static_cast<int64_t>(shape.size());
    append(out, &dims, sizeof dims);
    append(out, shape.data(), shape.size() * sizeof(int64_t));
  }
}

std::vector<CallLabel::Extents> read_shapes(Reader& in, size_t count) {
  std::vector<CallLabel::Extents> shapes;
  for (size_t i = 0; i < count; ++i) {
    int64_t dims = 0;
    in.read(&dims, sizeof dims);
    PADDLE_CHECK_VALUE(dims >= 0 && dims <= static_cast<int64_t>(CallLabel::kMaxDims),
                       "a label of a collective has a shape of ", dims, " dimensions");
    CallLabel::Extents& shape = shapes.emplace_back(static_cast<size_t>(dims));
    in.read(shape.data(), shape.size() * sizeof(int64_t));
  }
  return shapes;
}

void print_shape(std::ostream& out, const CallLabel::Extents& shape) {
  out << '[';
  for (size_t i = 0; i < shape.size(); ++i) out << (i ? ", " : "") << shape[i];
  out << ']';
}

std::string text_of(const CallLabel::Extents& shape) {
  std::ostringstream out;
  print_shape(out, shape);
  return std::move(out).str();
}

// A hundred members have a hundred shapes; the first ones tell enough.
void print_shapes(std::ostream& out, const std::vector<CallLabel::Extents>& shapes) {
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < std::min(kShown, shapes.size()); ++i) {
    out << (i ? ", " : "");
    print_shape(out, shapes[i]);
  }
  if (shapes.size() > kShown) out << ", ... (" << shapes.size() << " in all)";
}

int64_t elements(const CallLabel::Extents& shape) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

const CallLabel::Extents& given_to(const CallLabel& label, size_t member) {
  return label.gives.size() == 1 ? label.gives[0] : label.gives[member];
}

// The first pair of members of which one takes something else than the other gives.
std::string misfit(const std::vector<CallLabel>& labels, const Ranks& ranks) {
  for (size_t from = 0; from < labels.size(); ++from) {
    for (size_t to = 0; to < labels.size(); ++to) {
      const CallLabel::Extents& given = given_to(labels[from], to);
      const CallLabel::Extents& taken = labels[to].takes[from];
      if (elements(given) == elements(taken)) continue;
      return str("rank ", ranks[from], " gives ", text_of(given), " and rank ", ranks[to],
                 " expects ", text_of(taken), " of it");
    }
  }
  return {};
}

}  // namespace

const char* name_of(Collective collective) {
  static constexpr const char* kNames[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "barrier",
      "reduce",     "gather",     "scatter",        "refused",    "given up"};
  return kNames[static_cast<size_t>(collective)];
}

bool is_uniform(Collective collective) {
  switch (collective) {
    case Collective::kAllGather:
    case Collective::kAllToAll:
    case Collective::kGather:
    case Collective::kScatter:
      return false;
    default:
      return true;
  }
}

CallLabel::Extents CallLabel::extents_of(const Tensor& x) {
  Extents extents;
  for (const Dim& dim : x.shape()) {
    if (extents.size() < kMaxDims) {
      extents.push_back(dim.value());
    } else {
      extents.back() *= dim.value();
    }
  }
  return extents;
}

std::vector<char> CallLabel::encode() const {
  std::vector<char> out;
  out.reserve(sizeof(Head) + 128);
  const size_t said = std::min(refusal.size(), kMaxRefusal);
  const Head head{call,
                  root,
                  static_cast<uint32_t>(gives.size()),
                  static_cast<uint32_t>(takes.size()),
                  static_cast<uint32_t>(said),
                  static_cast<uint8_t>(collective),
                  static_cast<uint8_t>(dtype),
                  static_cast<uint8_t>(kind),
                  {}};
  append(out, &head, sizeof head);
  append_shapes(out, gives);
  append_shapes(out, takes);
  append(out, refusal.data(), said);
  return out;
}

CallLabel CallLabel::decode(const char* data, size_t bytes) {
  Reader in(data, bytes);
  Head head;
  in.read(&head, sizeof head);
  PADDLE_CHECK_VALUE(head.collective <= static_cast<uint8_t>(Collective::kGivenUp) &&
                         head.kind < kNumReduceKinds && head.dtype < kNumDTypes &&
                         head.refusal <= in.left(),
                     "a label of a collective is not readable");
  CallLabel label;
  label.collective = static_cast<Collective>(head.collective);
  label.dtype = static_cast<DType>(head.dtype);
  label.kind = static_cast<ReduceKind>(head.kind);
  label.root = head.root;
  label.call = head.call;
  label.gives = read_shapes(in, head.gives);
  label.takes = read_shapes(in, head.takes);
  label.refusal.resize(head.refusal);
  in.read(label.refusal.data(), head.refusal);
  return label;
}

size_t CallLabel::max_bytes(int64_t members) {
  const size_t shapes = 2 * static_cast<size_t>(members);
  return sizeof(Head) + kMaxRefusal + shapes * (kMaxDims + 1) * sizeof(int64_t);
}

std::string CallLabel::describe(const Ranks& ranks) const {
  if (collective == Collective::kRefused)
    return str("nothing, for its arguments are wrong (", refusal, ")");
  if (collective == Collective::kGivenUp)
    return str("nothing, for it has given the group up (", refusal, ")");
  std::ostringstream out;
  out << name_of(collective);
  if (collective == Collective::kAllReduce || collective == Collective::kReduceScatter ||
      collective == Collective::kReduce) {
    out << ' ' << name_of(kind);
  }
  if (collective == Collective::kBarrier) return std::move(out).str();
  out << " of " << dtype << ' ';
  const size_t at = static_cast<size_t>(root);
  switch (collective) {
    case Collective::kReduce:
    case Collective::kGather:
      print_shape(out, gives[at]);
      out << " to rank " << ranks[at];
      break;
    case Collective::kScatter:
      print_shape(out, takes[at]);
      out << " from rank " << ranks[at];
      break;
    case Collective::kBroadcast:
      print_shapes(out, gives);
      out << " from rank " << ranks[at];
      break;
    default:
      print_shapes(out, gives);
      if (takes.empty()) break;
      out << " into ";
      print_shapes(out, takes);
  }
  return std::move(out).str();
}

std::string disagreement(const std::vector<CallLabel>& labels, const Ranks& ranks) {
  const CallLabel& first = labels[0];
  const auto said = [&](size_t i) {
    return str("rank ", ranks[i], " calls ", labels[i].describe(ranks));
  };
  for (size_t i = 0; i < labels.size(); ++i) {
    const CallLabel& label = labels[i];
    if (label.collective == Collective::kRefused || label.collective == Collective::kGivenUp) {
      return said(i);
    }
    const bool same_call = label.collective == first.collective && label.dtype == first.dtype &&
                           label.kind == first.kind && label.root == first.root &&
                           label.gives.size() == first.gives.size() &&
                           label.takes.size() == first.takes.size();
    if (!same_call || (is_uniform(first.collective) && label.gives != first.gives)) {
      return said(0) + ", " + said(i);
    }
    if (label.call != first.call) {
      return str(said(0), " as call number ", first.call, " of the group, ", said(i), " as number ",
                 label.call);
    }
  }
  return is_uniform(first.collective) ? std::string() : misfit(labels, ranks);
}

}  // namespace paddle::distributed
