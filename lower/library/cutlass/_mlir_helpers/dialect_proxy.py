# A dialect whose functions convert what they are handed: they are those of the dialect.


def DialectAutoConvertProxy(dialect):
    return dialect
