"""Command-line words that may stand anywhere: ``--workspace`` and ``--market`` before or after the verb."""

from collections.abc import Sequence

ANYWHERE = ("--workspace", "--market")


def hoist(arguments: Sequence[str]) -> list[str]:
    """The same arguments with the options that may stand anywhere moved to the front; after ``--`` nothing moves."""
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
            front += [word, *([value] if (value := next(words, None)) is not None else [])]
        else:
            rest.append(word)
    return front + rest
