// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What passes may rely on in a program from a file.
#pragma once

namespace paddle::pir {

class Program;

// ValueError when an operation lacks an operand that it needs, or has more operands or results than
// its operator; when regions, lists and their elements do not fit together. Results that the file
// leaves out are added as absent.
void check_presence(Program& program);
// The same, and ValueError where a list stands for one tensor or the other way round.
void check_operands(Program& program);

}  // namespace paddle::pir
