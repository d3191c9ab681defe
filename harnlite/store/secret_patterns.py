"""The patterns of secrets in texts. The module is loaded only if a text may contain a secret."""

from __future__ import annotations

import re

_PEM = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY-----|.*)"

_KEYS = (
    r"(?:sk-|[sr]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[abeposr]-|ya29\.|AIza|AKIA|ASIA|hf_|gsk_|npm_|pypi-)"
    r"[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]*\.[\w-]+\.[\w-]*"
)

_NAMES = (
    r"api[_-]?key|access[_-]?token|refresh[_-]?token|id[_-]?token|auth_?token|client[_-]?secret|password|passwd"
    r"|secret_?key|access_?key|private_?key|secret|token"
)
_QUOTE = r"\\*[\"']"
_AFTER_NAME = rf"(?:{_QUOTE})?\s*[=:]\s*(?![=:])"

_NAME_WORDS = ("key", "token", "secret", "passw")
"""One of these is in each name."""

# The patterns, each with words of which its matches contain one: long texts are only searched for what they may have.
# The first group, which names the secret, is kept.
_NAMED = (
    (("bearer",), r"\b(Bearer\s+)(?!(?:auth\w*|tokens?|scheme|format)\b)[\w.~+/-]+=*"),
    (("bearer",), r"(?i)\b(bearer\s+)(?!(?:auth\w*|tokens?|scheme|format)\b)[\w.~+/-]{8,}=*"),
    (("basic",), r"\b(Basic\s+)(?!(?:[A-Z]?[a-z]+|[A-Z]+)\b(?![+/=]))[A-Za-z0-9+/]{4,}={0,2}(?!\w|[.-]\w)"),
    (
        ("authorization",),
        r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|token|bearer|digest)\s+)?)(?!bearer\b)[^\s\"',;\[]{6,}",
    ),
    (
        _NAME_WORDS,
        rf"(?i)((?<![\w-])[\w-]*(?:{_NAMES}){_AFTER_NAME}({_QUOTE}))(?!\[redacted)(?:(?!\2)[^\n])+",
    ),
    (
        _NAME_WORDS,
        rf"(?i)((?<![\w-])[\w-]*(?:{_NAMES}){_AFTER_NAME})(?!\[redacted)[^\s\"'\\&,;(){{}}<>\[\]]+",
    ),
    (("://",), r"(://)[^\s/:@]*:[^\s/@]+(?=@)"),
)


def replace_secrets(text: str, replacement: str) -> str:
    """Return a text in which everything that looks like a secret is replaced."""
    lower = _lower(text)
    if "-----begin" in lower:
        text = re.sub(_PEM, replacement, text, flags=re.DOTALL)
    text = re.sub(rf"(?<![\w-])(?:{_KEYS})", replacement, text, flags=re.ASCII)
    for words, pattern in _NAMED:
        if any(word in lower for word in words):
            text = re.sub(pattern, rf"\g<1>{replacement}", text)
    return text


def _lower(text: str) -> str:
    """Return a text in lower case, with plain letters for the two others that match without regard to case."""
    lower = text.lower()
    return lower if lower.isascii() else lower.replace("\u017f", "s").replace("\u0131", "i")
