class SimpleNamespace:
    """Attributes by keyword."""

    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)
