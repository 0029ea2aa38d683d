"""Pages without text, read by OCR in this process: what it costs and what comes of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finlore.ports import Source
from finlore.wiring.pages import PageJob, choose_reader, recognise

SAMPLE = 60
MOST_PAGES = 4  # of each file


@dataclass(frozen=True)
class Recognised:
    """CPU seconds without the start of the models. `samples`: file, page and the beginning of what was read."""

    pages: int = 0
    cpu_seconds: float = 0.0
    characters: int = 0
    samples: tuple[tuple[str, int, str], ...] = ()
    problem: str = ""


def recognise_all(waiting: Sequence[tuple[str, Sequence[int]]]) -> Recognised:
    """The first pages (counted from 1) of these files, one after the other; the very first is read twice and counted
    once."""
    choice = choose_reader("auto")
    pages = [(path, page) for path, numbers in waiting for page in numbers[:MOST_PAGES]]
    if not pages or not choice.reader:
        return Recognised(problem=choice.remedy if pages else "no page of these files waits for it")
    jobs = [PageJob(_source(path), page, "pdf", choice.reader) for path, page in pages]
    recognise(jobs[0])
    began = time.process_time()
    texts = ["".join(line.text for line in recognise(job).lines) for job in jobs]
    spent = time.process_time() - began
    samples = tuple((Path(path).name, page, text[:SAMPLE]) for (path, page), text in zip(pages, texts, strict=True))
    return Recognised(len(pages), spent, sum(map(len, texts)), samples)


def _source(path: str) -> Source:
    return Source(path, ".pdf", Path(path).read_bytes())
