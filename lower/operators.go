package lower

import ()

// Operators and conversions that a program of C++ defines for its classes (C++17 [over.oper], [class.conv.fct]) run where an
// object is an operand. What an operator gives that no function defines is not known.
