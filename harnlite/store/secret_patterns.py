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

# The first group, which names the secret, is kept.
_NAMED = (
    r"\b(Bearer\s+)(?!(?:auth\w*|tokens?|scheme|format)\b)[\w.~+/-]+=*",
    r"(?i)\b(bearer\s+)(?!(?:auth\w*|tokens?|scheme|format)\b)[\w.~+/-]{8,}=*",
    r"\b(Basic\s+)(?!(?:[A-Z]?[a-z]+|[A-Z]+)\b(?![+/=]))[A-Za-z0-9+/]{4,}={0,2}(?!\w|[.-]\w)",
    r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|token|bearer|digest)\s+)?)(?!bearer\b)[^\s\"',;\[]{6,}",
    rf"(?i)((?<![\w-])[\w-]*(?:{_NAMES}){_AFTER_NAME}({_QUOTE}))(?!\[redacted)(?:(?!\2)[^\n])+",
    rf"(?i)((?<![\w-])[\w-]*(?:{_NAMES}){_AFTER_NAME})(?!\[redacted)[^\s\"'\\&,;(){{}}<>\[\]]+",
    r"(://)[^\s/:@]*:[^\s/@]+(?=@)",
)


def replace_secrets(text: str, replacement: str) -> str:
    """Return a text in which everything that looks like a secret is replaced."""
    text = re.sub(_PEM, replacement, text, flags=re.DOTALL)
    text = re.sub(rf"(?<![\w-])(?:{_KEYS})", replacement, text, flags=re.ASCII)
    for pattern in _NAMED:
        text = re.sub(pattern, rf"\g<1>{replacement}", text)
    return text
