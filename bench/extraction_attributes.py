"""Attributes of broker report abstracts against the fields in their prefixes: code, date, target price, rating.

The fields are read from the prefixes by fixed patterns. Of a rating the word right before 评级 in the text is wanted
(the last one, where there are several of one kind). The score in the prefix is compared with its grade apart: brokers
number differently (增持 is the best of some) and the texts do not say which broker it is. `score by word` counts the
most that any reading of the word alone can get, by the score that most texts with this word have. Target prices are
exact, from the prefix or anywhere in the text.
"""

import json
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from extraction_texts import Score, read_text, split
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.lexicon.ratings import rating_of
from finlore.knowledge.schema import load_schema
from finlore.language.codes import canonical_security
from finlore.records.fact import Fact
from finlore.records.instant import as_datetime

_CODE: Final = re.compile(r"[（(](\d{6})[）)]")
_DAY: Final = re.compile(r"在(\d{4}-\d\d-\d\d)")
_TARGET: Final = re.compile(r"目标价格是(\d[\d.]*)，")
_SCORE: Final = re.compile(r"评分是(\d)")
_WORD: Final = re.compile(
    r"(强烈推荐|强推|谨慎推荐|审慎推荐|谨慎增持|审慎增持|优于大市|跑赢行业|强于大市|买入|增持|推荐|中性|持有|减持)[\s”\"’'」-]{0,3}[A-C]?\s?(?:的?投资)?评级"
)
_GRADES: Final = {"7": "buy", "5": "outperform", "3": "neutral"}


@dataclass(slots=True)
class Abstracts:
    documents: int = 0
    scores: dict[str, Score] = field(default_factory=dict)
    numbered: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    cpu_seconds: float = 0.0
    characters: int = 0


def measure(data: Path, *, develop: bool = False, limit: int | None = None) -> Abstracts:
    """Scores by field; of the third to develop on, or of the rest."""
    gazetteer, schema = Gazetteer.load(), load_schema()
    rows = json.loads((data / "reports" / "abstracts" / "reports.json").read_text("utf-8"))
    found = Abstracts(scores={name: Score() for name in ("code", "date", "target_price", "rating", "score")})
    for number, row in enumerate(split(rows)[0 if develop else 1][:limit]):
        text = f"{row['summary']}\n\n{row['content']}"
        read = read_text({"id": str(number), "text": text, "format": "text"}, gazetteer)
        if read is None:
            continue
        document, names = read
        began = time.process_time()
        extracted = extract_facts(document, names, schema)
        found.cpu_seconds += time.process_time() - began
        found.characters += len(document.text)
        found.documents += 1
        published = document.metadata.published_at
        day = as_datetime(published).date().isoformat() if published else ""
        _add(found, row, list(extracted.facts), day)
    numbers = list(found.numbered.values())
    n, most = sum(counts.total() for counts in numbers), sum(max(counts.values()) for counts in numbers)
    found.scores["score by word"] = Score(right=most, said=n, gold=n)
    return found


def _add(found: Abstracts, row: dict[str, Any], facts: list[Fact], day: str) -> None:
    scores = found.scores
    summary, content = str(row["summary"]), str(row["content"])
    own = [fact for fact in facts if fact.subject.entity]
    code = _CODE.search(summary)
    tickers = {fact.note or fact.text for fact in own if fact.relation == "stock_ticker"}
    _score(scores["code"], canonical_security(code[1]) if code else None, tickers, summary[:60])
    stated = _DAY.search(summary)
    _score(scores["date"], stated[1] if stated else None, {day} - {""}, summary[:80])
    target = _TARGET.search(content)
    targets = {f"{fact.value:g}" for fact in own if fact.relation == "target_price" and fact.value is not None}
    around = [content[max(0, m.start() - 20) : m.end() + 30] for m in re.finditer("目标价|合理价值", content)]
    _score(scores["target_price"], f"{float(target[1]):g}" if target else None, targets, " … ".join(around))
    words = _WORD.findall(content)
    ratings = [fact for fact in own if fact.relation == "investment_rating"]
    at = [content[max(0, m.start() - 30) : m.end() + 6] for m in _WORD.finditer(content)]
    _score(scores["rating"], words[-1] if words else None, {fact.text for fact in ratings}, " … ".join(at))
    score = _SCORE.search(content)
    grades = {rating.grade for fact in ratings if (rating := rating_of(fact)) is not None}
    if words:
        found.numbered[words[-1]][score[1] if score else ""] += 1
        _score(scores["score"], _GRADES.get(score[1]) if score else None, set(grades), f"{words} {score and score[1]}")


def _score(score: Score, gold: str | None, said: set[str], around: str) -> None:
    score.said += len(said)
    score.gold += gold is not None
    if gold in said:
        score.right += 1
    elif gold is not None:
        score.missed.append(f"{gold} | said {sorted(said)} | {around}")
    if wrong := said - {gold or ""}:
        score.wrong.append(f"{sorted(wrong)} | gold {gold} | {around}")
