# What of typing does something when a program runs.
def cast(typ, val):
    return val
