// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of PaddlePaddle 2 as programs of this IR. Every old operator is either a row of text
// (rows.cc, rows_numeric.cc) or a function over `OpTranslation` (files named by kind).
//
// A row names the old operator, the new one, where its arguments come from and its outputs:
//
//   leaky_relu: leaky_relu x=X negative_slope@alpha:0.02 => Out
//
//   x=X        the tensor of input slot X; absent slots leave the argument out
//   x=X*       all tensors of the slot, as a list
//   a@b:v      attribute b of the old operator, v when it has none; @a is short for a@a
//   a!v        the constant v
//   a#X        the lengths of the sequences in X, when it has some
//   => Y *     result 0 is output slot Y; Out* spreads a list over the slot; _ skips a result;
//              N#Y is slot N, and says how long the sequences in slot Y are
//
// Of several sources of one argument the first that is present counts.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <variant>

#include "paddle_core/shape/sym.h"
#include "pir/ir/ir.h"
#include "pir/serialize/legacy_door/legacy_library.h"

namespace paddle::pir {

// An argument of a new operator: tensors or a constant.
using Given = std::variant<Value*, std::vector<Value*>, bool, int64_t, double, std::string,
                           std::vector<int64_t>, std::vector<double>, DType>;
using NamedGiven = std::pair<std::string, Given>;

// The same as it stands in a call: a name and where the value is, for as long as the call takes.
// Lists of these are plain data, so that the many calls of these files stay small.
class Argument {
 public:
  template <typename T>
  requires(std::is_constructible_v<Given, const T&> && !std::is_arithmetic_v<T> &&
           !std::is_pointer_v<T> && !std::is_array_v<T>) Argument(const char* name, const T& value)
      : name_(name),
        at_(&value),
        read_([](const void* at) -> Given { return *static_cast<const T*>(at); }) {}
  Argument(const char* name, Value* const& value)
      : name_(name),
        at_(&value),
        read_([](const void* at) -> Given { return *static_cast<Value* const*>(at); }) {}
  Argument(const char* name, const char* text)
      : name_(name),
        at_(text),
        read_([](const void* at) -> Given { return std::string(static_cast<const char*>(at)); }) {}
  template <typename T>
  requires std::is_arithmetic_v<T> Argument(const char* name, const T& value)
      : name_(name),
        at_(&value),
        read_([](const void* at) -> Given { return *static_cast<const T*>(at); }) {}
  const char* name() const { return name_; }
  Given value() const { return read_(at_); }

 private:
  const char* name_;
  const void* at_;
  Given (*read_)(const void*);
};
using Arguments = std::initializer_list<Argument>;

class Translator;

// One operator of the old program, while it is being translated.
class OpTranslation {
 public:
  OpTranslation(Translator& translator, const OpDesc& desc, Builder& builder)
      : translator_(translator), desc_(desc), builder_(builder) {}

  const std::string& type() const { return desc_.type; }
  const OpDesc& desc() const { return desc_; }
  Translator& translator() const { return translator_; }
  Builder& builder() { return builder_; }

  // -- inputs and outputs -------------------------------------------------------------------
  // ValueError when the slot is empty.
  Value* in(const char* slot) const;
  Value* in_or_null(std::string_view slot) const;
  std::vector<Value*> ins(std::string_view slot) const;
  // An extent of an input: where the program takes any, that which the file tells.
  // NotImplementedError when it tells none.
  int64_t extent(const char* slot, int64_t axis) const;
  // The names of an output slot.
  const std::vector<std::string>& out_names(std::string_view slot) const;
  // The variable of the slot is `value` from here on; nothing when the slot is absent.
  void set(std::string_view slot, Value* value);
  void set_all(std::string_view slot, const std::vector<Value*>& values);

  // The offsets of the sequences in the first tensor of the slot, the coarsest level first: vectors
  // of int64 from 0 to the number of parts of the next level, in the end to that of the rows. Empty
  // when it has none.
  std::vector<Value*> offsets(std::string_view slot) const;
  // An output has these; without this call it takes those of an input (Translator::pass_offsets).
  void set_offsets(std::string_view slot, const std::vector<Value*>& levels);

  // -- attributes ---------------------------------------------------------------------------
  bool has(std::string_view name) const { return desc_.attributes.contains(name); }
  int64_t integer(const char* name, int64_t fallback) const;
  double number(const char* name, double fallback) const;
  bool flag(const char* name, bool fallback) const { return integer(name, fallback) != 0; }
  std::string text(const char* name, const char* fallback) const;
  std::vector<int64_t> integers(const char* name) const;
  std::vector<double> numbers(const char* name) const;
  DType dtype(const char* name, DType fallback) const;
  // In whatever form it has; tensors when variables stand for it.
  std::optional<Given> given(std::string_view name) const;

  // -- building -----------------------------------------------------------------------------
  // Appends pd_op.<name>; arguments that are not given take the operator's defaults.
  Operation* emit(std::string_view name, Arguments args);
  Value* make(std::string_view name, Arguments args);
  Operation* emit_all(std::string_view name, const std::vector<NamedGiven>& args);
  Value* make_all(std::string_view name, const std::vector<NamedGiven>& args);
  // For an operator whose result is a list: its `count` tensors.
  std::vector<Value*> make_list(std::string_view name, const std::vector<NamedGiven>& args,
                                size_t count);
  Value* cast(Value* x, DType dtype);
  Value* constant(const Tensor& t);
  static size_t rank(const Value* v) { return v->type().shape().size(); }
  [[noreturn]] void fail(std::string_view what) const;
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  Value* operand(const OpDef& def, size_t i, const std::vector<NamedGiven>& args);
  std::vector<Type> result_types(const Operation& op);
  Type fallback_type(const Operation& op) const;

  Translator& translator_;
  const OpDesc& desc_;
  Builder& builder_;
};

using TranslateFn = void (*)(OpTranslation&);

// The functions and rows by the name of the old operator.
class TranslationTable {
 public:
  static const TranslationTable& get();
  // Whether the operator is known and what it becomes exists.
  bool contains(const std::string& type) const;
  // Sorted.
  std::vector<std::string> names() const;
  void translate(OpTranslation& op) const;
  void add(const char* type, TranslateFn fn);
  // Lines of text as above.
  void add_rows(std::string_view text);

 private:
  struct Source {
    enum class Kind : uint8_t { kTensor, kTensors, kAttribute, kConstant, kLengths };
    Kind kind;
    std::string argument, name;
    std::optional<Given> fallback;
  };
  struct Row {
    std::string op;
    std::vector<Source> sources;
    std::vector<std::string> results;
  };
  void add_row(std::string_view line);
  static void check_slots(const Row& row, const OpTranslation& op);
  static void apply(const Row& row, OpTranslation& op);
  void translate_in_floats(OpTranslation& op) const;
  std::unordered_map<std::string, TranslateFn> functions_;
  std::unordered_map<std::string, Row> rows_;
};

void add_row_translations(TranslationTable& table);
void add_numeric_row_translations(TranslationTable& table);
void add_arithmetic_translations(TranslationTable& table);
void add_composed_translations(TranslationTable& table);
void add_layers_translations(TranslationTable& table);
void add_shapes_translations(TranslationTable& table);
void add_control_flow_translations(TranslationTable& table);
void add_rnn_translations(TranslationTable& table);
void add_epilogues_translations(TranslationTable& table);
void add_quantize_translations(TranslationTable& table);
void add_eight_bits_translations(TranslationTable& table);
void add_detection_translations(TranslationTable& table);
void add_einsum_translations(TranslationTable& table);
void add_arrays_translations(TranslationTable& table);
void add_fused_translations(TranslationTable& table);
void add_fused_sequences_translations(TranslationTable& table);
void add_rank_tables_translations(TranslationTable& table);
void add_recurrent_translations(TranslationTable& table);
void add_search_translations(TranslationTable& table);
void add_views_translations(TranslationTable& table);
void add_losses_translations(TranslationTable& table);
void add_neighbours_translations(TranslationTable& table);
void add_sequences_translations(TranslationTable& table);
void add_offsets_translations(TranslationTable& table);
void add_steps_translations(TranslationTable& table);
void add_anchors_translations(TranslationTable& table);
void add_recommenders_translations(TranslationTable& table);
void add_weights_translations(TranslationTable& table);

// What the attributes of an operator say of its result: an activation, a factor.
void apply_epilogue(OpTranslation& op);

// Values by variable name while blocks are walked.
class Translator {
 public:
  Translator(const ProgramDesc& desc, Program& program) : desc_(desc), program_(program) {
    program_.keep_symbols(symbols_.owner());
  }
  void run();
  // Of a program of one operator: `inputs` are its inputs, and what it gives its outputs.
  void run_operator(const std::vector<VarDesc>& inputs);

  Value* read(const std::string& variable, const std::string& reader) const;
  // Null when nothing has defined it.
  Value* find(const std::string& variable) const;
  void write(const std::string& variable, Value* value) {
    Value*& at = values_[variable];
    changes_.emplace_back(variable, at);
    at = value;
  }
  // Undoes the writes since mark().
  size_t mark() const { return changes_.size(); }
  void rollback(size_t mark);
  // Null when the program does not declare it.
  const VarDesc* declared(const std::string& variable) const;
  // The values that stand for an array, its ArrayState.
  static std::string part_of_array(const std::string& variable, size_t k) {
    return str(variable, '#', k);
  }
  std::vector<Value*> array(const std::string& variable, const std::string& reader) const;
  void write_array(const std::string& variable, const std::vector<Value*>& parts);
  // The offsets of a variable stand as variables of their own, one a level.
  static std::string part_of_offsets(const std::string& variable, size_t level) {
    return str(variable, "@LOD", level);
  }
  std::vector<Value*> offsets_of(const std::string& variable) const;
  void write_offsets(const std::string& variable, const std::vector<Value*>& levels);
  SymbolScope& symbols() { return symbols_; }
  // Of PaddlePaddle that wrote the program, as 2006002 for 2.6.2.
  int64_t version() const { return desc_.version; }

  // Translates block `index` into `into`, each block once. Its writes stay visible.
  void block(int64_t index, Block& into);
  const BlockDesc& block_desc(int64_t index) const;
  // The declared type of a variable, with a symbol for every extent that may differ.
  Type type_of(const VarDesc& var, bool keep_known);

 private:
  void check_operators() const;
  void parameters(Block& into);
  void feeds(Block& into);
  void arrays(const BlockDesc& desc, Builder& builder);
  size_t rank_of_elements(const std::string& array, size_t said) const;
  void fetches(Block& into);
  void feed(Block& into, const VarDesc& var, bool keep_known);
  static void fetch(Builder& b, const std::string& name, Value* v, int32_t col);
  void feed_offsets(Block& into, const std::string& name, int64_t levels, int64_t position);
  void fetch_offsets(Builder& b, const std::string& name, int64_t position);
  void pass_offsets(const OpDesc& op, size_t mark);

  const ProgramDesc& desc_;
  Program& program_;
  SymbolScope symbols_;
  std::unordered_map<std::string, Value*> values_;
  std::vector<std::pair<std::string, Value*>> changes_;  // variable, value before
  std::set<int64_t> done_;
  bool has_offsets_ = false;
  const BlockDesc* current_ = nullptr;
};

// The operators feed or fetch of a block, in the order of their columns.
std::vector<const OpDesc*> sorted_by_column(const BlockDesc& block, std::string_view type);

// What LegacyLibrary says of the content of a file and of one operator.
std::unique_ptr<Program> program_from_desc(const ProgramDesc& desc);
std::unique_ptr<Program> program_of_operator(const OpDesc& op, const std::vector<VarDesc>& inputs);

}  // namespace paddle::pir
