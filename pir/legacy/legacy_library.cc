// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The one symbol that the library exports: the table of what it does.
#include "pir/serialize/legacy_door/legacy_library.h"

#include "pir/legacy/compounds.h"
#include "pir/legacy/read_program_desc.h"
#include "pir/legacy/summary.h"
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

constexpr LegacyLibrary kTable = {
    .program_from_bytes =
        [](std::string_view bytes) { return program_from_desc(parse_program_desc(bytes)); },
    .summarize = [](std::string_view bytes,
                    ModelSummary& out) { summarize(parse_program_desc(bytes), out); },
    .program_of_operator = program_of_operator,
    .operator_names = [] { return TranslationTable::get().names(); },
    .is_compound = is_compound,
    .expand_compounds = expand_compounds,
};

}  // namespace
}  // namespace paddle::pir

const paddle::pir::LegacyLibrary* paddle_legacy_library() { return &paddle::pir::kTable; }
