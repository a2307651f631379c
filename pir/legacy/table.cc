// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of old operators: reading its rows and applying them.
#include <algorithm>
#include <charconv>

#include "pir/dialect/dialect.h"
#include "pir/legacy/eight_bits.h"
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

std::vector<std::string_view> words(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

template <typename T>
bool number(std::string_view text, T& out) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

// true, 3, 0.5, [1,1] or a word.
Given value_of(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (text.starts_with('[')) {
    std::vector<int64_t> list;
    for (const std::string_view part : words(text.substr(1, text.size() - 2), ',')) {
      number(part, list.emplace_back());
    }
    return list;
  }
  int64_t whole = 0;
  if (number(text, whole)) return whole;
  double real = 0;
  if (number(text, real)) return real;
  return std::string(text);
}

}  // namespace

void TranslationTable::add_rows(std::string_view text) {
  for (const std::string_view line : words(text, '\n')) add_row(line);
}

void TranslationTable::add_row(std::string_view line) {
  const std::vector<std::string_view> parts = words(line, ' ');
  PADDLE_ASSERT(parts.size() >= 2 && parts[0].ends_with(':'));
  Row row;
  row.op = parts[1];
  size_t i = 2;
  for (; i < parts.size() && parts[i] != "=>"; ++i) {
    const std::string_view part = parts[i];
    const size_t mark = part.find_first_of("=@!#");
    PADDLE_ASSERT(mark != std::string_view::npos);
    Source source;
    source.argument = part.substr(0, mark);
    std::string_view rest = part.substr(mark + 1);
    if (part[mark] == '=') {
      const bool all = rest.ends_with('*');
      if (all) rest.remove_suffix(1);
      source.kind = all ? Source::Kind::kTensors : Source::Kind::kTensor;
      source.name = rest;
    } else if (part[mark] == '#') {
      source.kind = Source::Kind::kLengths;
      source.name = rest;
    } else if (part[mark] == '!') {
      source.kind = Source::Kind::kConstant;
      source.fallback = value_of(rest);
    } else {
      source.kind = Source::Kind::kAttribute;
      const size_t colon = rest.find(':');
      source.name = rest.substr(0, colon);
      if (colon != std::string_view::npos) source.fallback = value_of(rest.substr(colon + 1));
      if (source.argument.empty()) source.argument = source.name;
    }
    row.sources.push_back(std::move(source));
  }
  for (++i; i < parts.size(); ++i) row.results.emplace_back(parts[i]);
  PADDLE_ASSERT(!row.results.empty());
  rows_.emplace(parts[0].substr(0, parts[0].size() - 1), std::move(row));
}

// A tensor that no source takes would be ignored in silence.
void TranslationTable::check_slots(const Row& row, const OpTranslation& op) {
  for (const auto& [slot, names] : op.desc().inputs) {
    const auto is_read = [&slot = slot](const Source& s) {
      return s.name == slot &&
             (s.kind == Source::Kind::kTensor || s.kind == Source::Kind::kTensors);
    };
    if (!names.empty() && std::none_of(row.sources.begin(), row.sources.end(), is_read)) {
      op.unsupported(str("it reads input ", slot));
    }
  }
}

void TranslationTable::apply(const Row& row, OpTranslation& op) {
  check_slots(row, op);
  std::vector<NamedGiven> args;
  for (const Source& s : row.sources) {
    std::optional<Given> g;
    if (s.kind == Source::Kind::kTensor) {
      if (Value* v = op.in_or_null(s.name)) g = v;
    } else if (s.kind == Source::Kind::kTensors) {
      if (std::vector<Value*> all = op.ins(s.name); !all.empty()) g = std::move(all);
    } else if (s.kind == Source::Kind::kAttribute) {
      g = op.given(s.name);
      if (!g) g = s.fallback;
    } else if (s.kind == Source::Kind::kLengths) {
      if (!op.offsets(s.name).empty()) {
        g = Sequences::in(op, s.name.c_str()).lengths().cast(DType::kInt32).value();
      }
    } else {
      g = s.fallback;
    }
    if (g) args.emplace_back(s.argument, std::move(*g));
  }
  if (row.results[0].ends_with('*')) {
    const std::string slot = row.results[0].substr(0, row.results[0].size() - 1);
    return op.set_all(slot, op.make_list(row.op, args, op.out_names(slot).size()));
  }
  Operation* made = op.emit_all(row.op, args);
  for (size_t k = 0; k < row.results.size() && k < made->num_results(); ++k) {
    const std::string& result = row.results[k];
    const size_t mark = result.find('#');
    if (result[0] != '_') op.set(result.substr(0, mark), made->result(k));
    if (mark == std::string::npos) continue;
    const Sequences found = Sequences::of_lengths(op, Term(op, made->result(k)));
    op.set_offsets(result.substr(mark + 1), {found.offsets().value()});
  }
}

void TranslationTable::add(const char* type, TranslateFn fn) { functions_.emplace(type, fn); }

bool TranslationTable::contains(const std::string& type) const {
  if (functions_.contains(type)) return true;
  const auto row = rows_.find(type);
  return row != rows_.end() && find_def("pd_op." + row->second.op);
}

std::vector<std::string> TranslationTable::names() const {
  std::vector<std::string> all;
  for (const auto& [name, function] : functions_) all.push_back(name);
  for (const auto& [name, row] : rows_) {
    if (contains(name) && !functions_.contains(name)) all.push_back(name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

void TranslationTable::translate(OpTranslation& op) const {
  EightBits bits(op);
  if (bits.open()) {
    OpTranslation inner(op.translator(), bits.inner(), op.builder());
    translate_in_floats(inner);
    return bits.close();
  }
  translate_in_floats(op);
  bits.pass();
}

void TranslationTable::translate_in_floats(OpTranslation& op) const {
  const auto function = functions_.find(op.type());
  if (function != functions_.end()) {
    function->second(op);
  } else {
    const auto row = rows_.find(op.type());
    PADDLE_ASSERT(row != rows_.end());
    apply(row->second, op);
  }
  apply_epilogue(op);
}

const TranslationTable& TranslationTable::get() {
  static const TranslationTable table = [] {
    TranslationTable t;
    add_row_translations(t);
    add_numeric_row_translations(t);
    add_arithmetic_translations(t);
    add_composed_translations(t);
    add_layers_translations(t);
    add_shapes_translations(t);
    add_control_flow_translations(t);
    add_rnn_translations(t);
    add_epilogues_translations(t);
    add_quantize_translations(t);
    add_eight_bits_translations(t);
    add_detection_translations(t);
    add_einsum_translations(t);
    add_arrays_translations(t);
    add_fused_translations(t);
    add_fused_sequences_translations(t);
    add_rank_tables_translations(t);
    add_recurrent_translations(t);
    add_search_translations(t);
    add_views_translations(t);
    add_losses_translations(t);
    add_neighbours_translations(t);
    add_sequences_translations(t);
    add_offsets_translations(t);
    add_steps_translations(t);
    add_anchors_translations(t);
    add_recommenders_translations(t);
    add_weights_translations(t);
    return t;
  }();
  return table;
}

}  // namespace paddle::pir
