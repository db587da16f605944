"""Attributions as a page that needs nothing beside itself."""

import html
from string import Template

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
       padding: 0 1rem; color: #1b1b1b; background: #fff; }
h2 { font-size: 1rem; margin: 2rem 0 .3rem; }
.strip { margin: .4rem 0; line-height: 2.1; }
.strip span { padding: .25rem .1rem; border-radius: .2rem; }
.words span { padding: .25rem .5rem; margin-right: .2rem; }
.word { display: inline-block; margin-right: .7rem; }
.strip .unread { color: #767676; text-decoration: line-through; }
.label { font-weight: 600; }
.note { color: #555; font-size: .875rem; }
</style>
</head>
<body>
<h1>$title</h1>
<p class="note">Grad-CAM of the log-odds of a label: the darker, the more of it comes from
there. First over word vectors, then over the characters that these are composed of; each
strip has a scale of its own. Point at a word or character for its value.</p>
$texts
</body>
</html>
""")


def attribution_page(attributions, title):
    """A page of texts one below the other, each as a strip of words and one of characters.

    Args:
        attributions (list of Attribution)
        title (str)

    Returns:
        str: HTML, in which bytes that are not UTF-8 are U+FFFD.
    """
    texts = "\n".join(map(_text, attributions))
    page = _PAGE.substitute(title=html.escape(title), texts=texts)
    return page.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text(found):
    of = "" if found.of_word is None else f" of word {found.of_word + 1}, "
    of += "" if found.of_word is None else html.escape(found.words[found.of_word])
    most = max(found.word_values)
    words = "".join(
        _cell(word, value, most) for word, value in zip(found.words, found.word_values)
    )
    values = [v for word in found.characters for _, v in word if v is not None]
    most = max(values, default=0)
    spelled = "".join(
        '<span class="word">' + "".join(_cell(c, v, most) for c, v in word) + "</span>"
        for word in found.characters
    )
    strip = f'<div class="strip characters" dir="auto">{spelled}</div>'
    if not values:
        strip = '<p class="note">This model reads no characters.</p>'
    return (
        f'<section>\n<h2>label <span class="label">{html.escape(found.label)}</span>{of} '
        f"(probability {found.score:.4f})</h2>\n"
        f'<div class="strip words" dir="auto">{words}</div>\n{strip}\n</section>'
    )


def _cell(text, value, most):
    """A word or a character (str) on a ground as dark as its value among those up to
    ``most`` (float); one that was not read has none."""
    text = html.escape(text)
    if value is None:
        return f'<span class="unread" title="not read">{text}</span>'
    share = value / most if most > 0 else 0
    # At most half covered: black on it keeps a contrast of more than 7.
    style = f"background: rgba(230, 120, 20, {0.75 * share:.3f})"
    return f'<span style="{style}" title="{value:.4g}">{text}</span>'
