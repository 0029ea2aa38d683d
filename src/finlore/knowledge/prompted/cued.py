"""Whether the words of a schema speak for what a model says that a text says: cues of that type, or of others."""

from functools import lru_cache

from finlore.knowledge.lexicon.cues import CueMatcher
from finlore.records.schema import EventType, LinkType, Schema


class Cued:
    """The cues of links and events. An event is judged by those of events, a link by all."""

    def __init__(self, schema: Schema) -> None:
        events = [event for driver in schema.drivers for event in driver.events]
        self._events = frozenset(event.id for event in events)
        types: list[EventType | LinkType] = [*events, *schema.links]
        self._owned = frozenset(type_.id for type_ in types if type_.cues)
        self._cues = CueMatcher((cue, type_.id) for type_ in types for cue in type_.cues)

    def speak_against(self, type_: str, text: str) -> bool:
        """Whether a text holds a cue of another type and none of this one, which has some."""
        if type_ not in self._owned:
            return False
        spoken = {match.owner for match in self._cues.find_all(text)}
        if type_ in self._events:
            spoken &= self._events
        return bool(spoken) and type_ not in spoken


@lru_cache(maxsize=4)
def cued(schema: Schema) -> Cued:
    """The cues of a schema, compiled once."""
    return Cued(schema)
