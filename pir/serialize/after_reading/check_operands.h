// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What passes may rely on in a program from a file.
#pragma once

namespace paddle::pir {

class Program;

// ValueError when an operation lacks an operand that it needs, has more operands or results than
// its operator, or a list where one tensor stands. Results that the file leaves out are added as
// absent.
void check_operands(Program& program);

}  // namespace paddle::pir
