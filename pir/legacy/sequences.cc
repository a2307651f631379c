// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of sequences by arithmetic on their offsets.
#include "pir/legacy/sequences.h"

#include <limits>

namespace paddle::pir {

Sequences Sequences::in(OpTranslation& op, const char* slot) {
  const std::vector<Value*> levels = op.offsets(slot);
  if (levels.empty()) op.unsupported(str("its input ", slot, " has no sequences"));
  return {op, levels.back()};
}

Sequences Sequences::of_lengths(OpTranslation& op, const Term& lengths) {
  const Term n = lengths.cast(DType::kInt64).reshape({-1});
  const Term first = Term::full(op, {1}, 0, DType::kInt64);
  return {op, Term::concat({first, n.make("cumsum", {{"axis", int64_t{0}}})}, 0)};
}

Term Sequences::longest() const {
  // 0 stands for the longest of none.
  const Term zero = Term::full(*op_, {1}, 1, DType::kInt64);
  return Term::concat({lengths(), zero}, 0).make("max", {{"axis", Term::Ints{0}}});
}

Term Sequences::owners() const {
  const Term numbers = Term::count_up(count());
  return {*op_, op_->make("repeat_interleave_with_tensor_index", {{"x", numbers.value()},
                                                                  {"repeats", lengths().value()},
                                                                  {"axis", int64_t{0}}})};
}

Term Sequences::places() const {
  const Term owner = owners();
  return Term::count_up(owner.extents().at(0, 0)) - starts().gather(owner);
}

Term with_row(const Term& rows, double fill) {
  return Term::concat({rows, rows.sum({0}, true).cast(rows.dtype()).like(fill)}, 0);
}

Term Sequences::padded(const Term& rows, double fill) const {
  return padded(rows, fill, longest());
}

Term Sequences::padded(const Term& rows, double fill, const Term& width) const {
  const Term steps = Term::count_up(width).unsqueeze(0), begin = starts().unsqueeze(1);
  const Term behind = rows.extents().at(0, 0);
  const Term at =
      (steps < lengths().unsqueeze(1)).where(begin + steps, (begin + steps) * 0 + behind);
  const Term found = with_row(rows, fill).gather(at.reshape({-1}));
  return found.reshape(Term::concat({at.extents(), rows.extents().part(0, 1, INT32_MAX)}, 0));
}

namespace {

// A term of the shape [n] beside rows of x: [n, 1, ...].
Term beside(const Term& flat, const Term& x) {
  Term::Ints shape(static_cast<size_t>(x.rank()), 1);
  shape[0] = -1;
  return flat.reshape(shape);
}

}  // namespace

Term Sequences::pooled(const Term& rows, const std::string& kind, double fill) const {
  std::string k = kind;
  for (char& c : k) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const Term length = lengths(), empty = length.with("equal", length.number(0));
  const auto over = [&](const Term& sum, const Term& by) {
    return sum / beside(by.cast(rows.dtype()), rows);
  };
  if (k == "LAST" || k == "FIRST") {
    const Term at = k == "LAST" ? ends() - 1 : starts();
    const Term behind = (at * 0) + rows.extents().at(0, 0);
    return with_row(rows, fill).gather(empty.where(behind, at));
  }
  std::optional<Term> made;
  if (k == "MAX") {
    made = padded(rows, -std::numeric_limits<double>::infinity())
               .make("max", {{"axis", Term::Ints{1}}});
  } else {
    made = padded(rows, 0).sum({1});
    if (k == "AVERAGE") made = over(*made, length);
    if (k == "SQRT") made = over(*made, length.cast(rows.dtype()).make("sqrt"));
    if (k != "AVERAGE" && k != "SQRT" && k != "SUM") {
      op_->unsupported(str("its pooltype is ", kind));
    }
  }
  return beside(empty, rows).where(made->like(fill), *made);
}

Term Sequences::around(const Term& rows, int64_t first, int64_t length) const {
  const Term owner = owners(), place = places();
  const Term behind_own = lengths().gather(owner), begin = starts().gather(owner);
  const Term all = with_row(rows, 0), behind = place * 0 + rows.extents().at(0, 0);
  std::vector<Term> parts;
  for (int64_t j = 0; j < length; ++j) {
    const Term at = place + static_cast<double>(first + j);
    const Term inside = (at >= at.number(0)) && (at < behind_own);
    parts.push_back(all.gather(inside.where(begin + at, behind)));
  }
  return Term::concat(parts, 1);
}

Term Sequences::unpadded(const Term& all) const {
  const Term extents = all.extents();
  const Term rest = extents.part(0, 2, INT32_MAX);
  const Term rows = all.reshape(Term::concat({Term::full(*op_, {1}, -1, DType::kInt64), rest}, 0));
  return rows.gather(owners() * extents.at(0, 1) + places());
}

}  // namespace paddle::pir
