"""Make foreign text safe to print: it cannot control the terminal or break a line."""


def printable(text: str) -> str:
    """The text with invisible characters as Python escapes: controls, tabs, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_lines(text: str) -> str:
    """The same for our own messages, which may have several lines."""
    return "\n".join(printable(line) for line in text.split("\n"))
