"""What relations, metrics, drivers and kinds of events are called, and which ids a person means by a name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from finlore.knowledge.prune import METRIC
from finlore.language.normal import fold
from finlore.records.schema import Labels, Schema
from finlore.resources import load_rows

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
        for id_, called in _metrics():
            labels.setdefault(id_, Labels(called[0], next(filter(str.isascii, called), called[0])))
            for name in (id_, *called):
                names[fold(name)].add(id_)
        return cls(labels, {name: frozenset(ids) for name, ids in names.items()})

    def label(self, id_: str) -> Labels:
        """What an id is called; the id itself where it has no name."""
        base, *derived = id_.split(".") if id_.startswith(METRIC) else [id_]
        if base not in self.labels or not all(name in _DERIVED for name in derived):
            return self.labels.get(id_, Labels(id_, id_))
        named = [self.labels[base], *(_DERIVED[name] for name in derived)]
        return Labels("".join(label.zh for label in named), " ".join(label.en for label in named))

    def ids(self, name: str) -> frozenset[str]:
        """The ids that a person may mean by a name or id. What is derived from a metric (growth, share) goes by its id
        alone."""
        if name.startswith(METRIC) or name in self.labels:
            return frozenset({name})
        return self.names.get(fold(name), frozenset())


def _metrics() -> Iterator[tuple[str, tuple[str, ...]]]:
    for _, name, also, metric in islice(load_rows("names/metrics.tsv", 4), 1, None):
        yield metric, (name, *filter(None, also.split("|")))
