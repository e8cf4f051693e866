# The DSL's interface of single instructions.
