# What a script's options are when it is run without any: the declared defaults.
import fencepost


class ArgumentTypeError(Exception):
    pass


class Namespace:
    def __init__(self, **values):
        for name in values:
            setattr(self, name, values[name])


class ArgumentParser:
    def __init__(self, *args, **kwargs):
        self.values = {}

    def add_argument(self, *names, **how):
        dest = how.get("dest")
        if dest is None:
            dest = destination(names)
        self.values[dest] = fencepost.option(dest, initial(how))

    def set_defaults(self, **values):
        self.values.update(values)

    def get_default(self, name):
        return self.values.get(name)

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, *args, **kwargs):
        return self

    def add_subparsers(self, *args, **kwargs):
        return Subparsers(self)

    def parse_args(self, args=None, namespace=None):
        return Namespace(**self.values)

    def parse_known_args(self, args=None, namespace=None):
        return Namespace(**self.values), []

    def print_help(self, file=None):
        pass

    def error(self, message):
        raise SystemExit(message)

    def exit(self, status=0, message=None):
        raise SystemExit(message)


# The options of every subcommand are there: which one is meant is not known.
class Subparsers:
    def __init__(self, parser):
        self.parser = parser

    def add_parser(self, *args, **kwargs):
        return self.parser


# destination is the name of an option's value: from the first long form, else from the first form.
def destination(names):
    chosen = names[0]
    for name in names:
        if name.startswith("--"):
            chosen = name
            break
    return chosen.lstrip("-").replace("-", "_")


# initial is an option's value when it is not given. A default that is text is converted as if it had been typed. A
# positional argument, which must be given, is the first of its choices.
def initial(how):
    action = how.get("action")
    if "default" in how:
        value = how["default"]
        convert = how.get("type")
        if isinstance(value, str) and convert is not None:
            value = convert(value)
        return value
    if action == "store_true":
        return False
    if action == "store_false":
        return True
    choices = how.get("choices")
    if choices and how.get("required", False):
        return list(choices)[0]
    return None
