"""What relations, metrics, drivers and kinds of events are called, and which ids a person means by a name."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final

from finlore.knowledge.prune import METRIC
from finlore.language.normal import fold
from finlore.records.schema import Labels, Schema
from finlore.resources import load_rows, load_toml

_KINDS: Final = ("flow", "balance", "per_share", "price", "multiple", "ratio", "count", "days", "turns")
"""Of numbers: where `lexicon/metrics.toml` has measures. Its other tables have none."""
_DERIVED: Final = {
    "growth": Labels("同比", "growth"),
    "qoq": Labels("环比", "growth on the period before"),
    "cagr": Labels("复合增速", "compound growth"),
    "share": Labels("占比", "share"),
    "segment": Labels("分部", "segment"),
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`names`: folded name -> ids; an id is a name of itself."""

    labels: Mapping[str, Labels]
    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, schema: Schema) -> "Vocabulary":
        labels = {attribute.id: attribute.labels for attribute in schema.attributes}
        labels |= {link.id: link.labels for link in schema.links}
        labels |= {driver.id: driver.labels for driver in schema.drivers}
        labels |= {event.id: event.labels for driver in schema.drivers for event in driver.events}
        names: dict[str, set[str]] = defaultdict(set)
        for id_, label in labels.items():
            for name in (id_, label.zh, label.en):
                names[fold(name)].add(id_)
        for id_, called in _metrics().items():
            label = labels.setdefault(id_, called.labels)
            for name in (id_, label.zh, label.en, *called.names):
                names[fold(name)].add(id_)
        return cls(labels, {name: frozenset(ids) for name, ids in names.items()})

    def label(self, id_: str) -> Labels:
        """What an id is called; where it has no name, its own words."""
        base, *derived = id_.split(".") if id_.startswith(METRIC) else [id_]
        if base not in self.labels or not all(name in _DERIVED for name in derived):
            return self.labels.get(id_, Labels(_words(id_), _words(id_)))
        named = [self.labels[base], *(_DERIVED[name] for name in derived)]
        return Labels("".join(label.zh for label in named), " ".join(label.en for label in named))

    def ids(self, name: str) -> frozenset[str]:
        """The ids that a person may mean by a name or id. What is derived from a metric (growth, share) goes by its id
        alone."""
        if name.startswith(METRIC) or name in self.labels:
            return frozenset({name})
        return self.names.get(fold(name), frozenset())


def spoken(id_: str) -> str:
    """What an id is called under any schema, in both languages, once where they agree."""
    labels = _of_any_schema().label(id_)
    return labels.zh if labels.zh == labels.en else f"{labels.zh} {labels.en}"


@cache
def _of_any_schema() -> Vocabulary:
    return Vocabulary({id_: called.labels for id_, called in _metrics().items()}, {})


@dataclass(frozen=True, slots=True)
class _Metric:
    """`names`: those of the list of names, without the labels of tables."""

    labels: Labels
    names: tuple[str, ...]


def _metrics() -> dict[str, _Metric]:
    """Every measure by id: those of the list of names, then those that tables have."""
    names: dict[str, tuple[str, ...]] = {}
    for _, name, also, metric in islice(load_rows("names/metrics.tsv", 4), 1, None):
        names[metric] = (name, *filter(None, also.split("|")))
    table = load_toml("lexicon/metrics.toml")
    printed = {f"{METRIC}{name}": tuple(words) for kind in _KINDS for name, words in table[kind].items()}
    return {
        id_: _Metric(_labels(id_, (*names.get(id_, ()), *printed.get(id_, ()))), names.get(id_, ()))
        for id_ in {**names, **printed}
    }


def _labels(id_: str, called: Sequence[str]) -> Labels:
    """The first name of each language; in English the words of the id, where they are or no other is a name."""
    english = [word.rstrip("*") for word in called if word.isascii()]
    plain = _words(id_)
    en = next((word for word in english if word.lower() == plain), next(iter(english), plain))
    return Labels(next((word for word in called if not word.isascii()), en), en)


def _words(id_: str) -> str:
    return id_.removeprefix(METRIC).replace("_", " ").replace(".", " ").strip()
