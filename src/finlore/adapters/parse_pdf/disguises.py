"""What a file that is called PDF and is none really is."""

_SIGNATURES = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (.doc, .xls)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
)
_OFFICE = ((b"word/", "a Word document (.docx)"), (b"xl/", "an Excel workbook (.xlsx)"), (b"ppt/", "slides (.pptx)"))
_READ = 4096


def true_kind(content: bytes) -> str:
    """Its kind in words, empty where its bytes say nothing."""
    head = content[:_READ]
    if not content.strip(b"\0 \r\n"):
        return "an empty file" if not content else "a file of blanks"
    if head.startswith(b"PK\x03\x04"):
        return next((words for part, words in _OFFICE if part in content), "a ZIP archive")
    for signature, words in _SIGNATURES:
        if head.startswith(signature):
            return words
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "a web page (HTML)" if start.startswith((b"<!doctype html", b"<html", b"<head", b"<script")) else ""
