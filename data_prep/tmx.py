"""The translation units of a TMX file, in whatever encoding it declares."""

import codecs
import re
import xml.etree.ElementTree as ElementTree

from data_prep.package_files import encoding_of

_CHUNK_BYTES = 1 << 16
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
# Elements of a segment that hold codes of the format it came from, not text; a <sub> in
# them is text again. <hi> and <mrk> hold text.
_CODES = {"bpt", "ept", "ph", "it", "ut"}


def tmx_pairs(stream, codes):
    """The pairs of a TMX file.

    ``en`` also stands for ``en-US``, ``EN`` and ``en_GB``; of several variants of a
    language in one unit the first counts.

    Args:
        stream (Stream): not recoded.
        codes (tuple of str): of both languages.

    Yields:
        (bytes, bytes), or None for a unit without both languages.

    Raises:
        ValueError: it is not well-formed, or of another encoding than it declares; no
            unit has one of the languages.
    """
    codes, found, num_whole = [_plain(code) for code in codes], {}, 0
    for unit in _units(stream):
        segments = {}
        for variant in unit:
            lang = variant.get(_XML_LANG) or variant.get("lang") or ""
            found.setdefault(_plain(lang), lang)
            segment = next((e for e in variant if _tag(e) == "seg"), None)
            if segment is not None:
                for name in (_plain(lang), _plain(lang).partition("-")[0]):
                    segments.setdefault(name, segment)
        pair = [segments.get(code) for code in codes]
        whole = None not in pair
        num_whole += whole
        yield tuple(_text(s).strip().encode() for s in pair) if whole else None
    if found and not num_whole:
        _check_languages(stream.path, codes, found)


def _check_languages(path, codes, found):
    known = {*found, *(name.partition("-")[0] for name in found)}
    listed = ", ".join(sorted(filter(None, found.values()))) or "no xml:lang"
    for code in codes:
        if code not in known:
            raise ValueError(
                f"{path} has nothing in {code}; it has {listed}: say how it writes the "
                "language with --source-code or --target-code"
            )


def _plain(lang):
    return lang.strip().lower().replace("_", "-")


def _text(element):
    """The text of a segment (str), without the codes of its format."""
    parts = [] if _tag(element) in _CODES else [element.text or ""]
    for child in element:
        if _tag(element) not in _CODES or _tag(child) == "sub":
            parts.append(_text(child))
        if _tag(element) not in _CODES:
            parts.append(child.tail or "")
    return "".join(parts)


def _units(stream):
    """The elements ``tu`` of a TMX file; each is gone when the next one is asked for."""
    parser, root = ElementTree.XMLPullParser(("start", "end")), None
    try:
        for text in _decoded(stream):
            parser.feed(text)
            for event, element in parser.read_events():
                if event == "end" and _tag(element) == "tu":
                    yield element
                    root.clear()
                    element.clear()
                elif root is None or (event == "start" and _tag(element) == "body"):
                    root = element  # the units read so far hang here
        parser.close()
    except ElementTree.ParseError as error:
        raise ValueError(
            f"{stream.path} is not well-formed TMX ({error}): download it again, or repair "
            "that place with an XML editor"
        ) from error


def _decoded(stream):
    """The text of an XML file in chunks of str, by Python's codecs: expat knows four."""
    head = stream.read(_CHUNK_BYTES)
    encoding, origin = _encoding(head, stream.path)
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    chunk = head
    while True:
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            raise ValueError(
                f"{stream.path}, line {line}, is not the {encoding} that {origin}: "
                f"{error.reason}; correct the declaration, or download it again"
            ) from error
        line += text.count("\n")
        yield text
        if not chunk:
            return
        chunk = stream.read(_CHUNK_BYTES)


def _encoding(head, path):
    """The encoding of an XML file and who says so, both str."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig", "its byte-order mark says"
    wide = encoding_of(head)
    if wide is not None:
        name, mark = wide
        return (name[:6] if mark else name), "its first bytes say"
    declared = _DECLARATION.match(head)
    if declared is None:
        return "utf-8", "XML is without a declaration"
    name = declared[1].decode("ascii", "replace")
    origin = f'it declares (encoding="{name}")'
    try:
        codec = codecs.lookup(name)
        codec = codec if codec._is_text_encoding else None
    except (LookupError, ValueError):
        codec = None
    if codec is None:
        raise ValueError(
            f'{path} declares encoding="{name}", which Python does not know: convert it to '
            "UTF-8, and its declaration"
        )
    # What can be read as ASCII is no UTF-16: somebody converted it, not its declaration.
    return ("utf-8" if codec.name.startswith(("utf-16", "utf-32")) else codec.name), origin


def _tag(element):
    return element.tag.rpartition("}")[2]
