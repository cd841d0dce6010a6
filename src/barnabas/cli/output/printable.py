"""Text that others chose, on a terminal or in a line: it neither steers the one nor breaks the other."""


def printable(text: str) -> str:
    """The text with what cannot be seen written as Python would: an escape, a tab, half a surrogate."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_lines(text: str) -> str:
    """The same for words of ours that may have several lines."""
    return "\n".join(printable(line) for line in text.split("\n"))
