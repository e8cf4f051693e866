# The DSL's own classes that synchronize, as models.
