"""Command-line options that may stand anywhere, before or after the verb."""

from collections.abc import Sequence

ANYWHERE = ("--workspace", "--market", "--config")


def hoist(arguments: Sequence[str]) -> list[str]:
    """The same arguments with the options that may stand anywhere moved to the front; after ``--`` nothing moves. One
    at the end that lacks its value stands alone in front, where that is the fault that is told."""
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif name in ANYWHERE and equals:
            front.append(word)
        elif name in ANYWHERE:
            value = next(words, None)
            if value is None:
                return [*front, word]
            front += [word, value]
        else:
            rest.append(word)
    return front + rest
