"""How secrets look in texts; loaded when a text may hold one."""

from __future__ import annotations

import re

_PEM = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY-----|.*)"

_KEYS = (
    r"sk-(?=[\w-]*\d)[\w-]{8,}|sk-[\w-]{20,}|[sr]k_(?:live|test)_\w{8,}"
    r"|gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeposr]-[\w-]{10,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|hf_\w{20,}|gsk_\w{20,}|npm_\w{30,}|pypi-[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
)

_NAMES = (
    r"api_?key|api-key|access_?token|refresh_?token|auth_?token|client_?secret|password|passwd|secret_?key|access_?key"
    r"|private_?key|secret|token"
)
_ASSIGNED = r"[\"']?(?:=|\s*:\s*(?=[\"'])|\s*=\s*(?=[\"']))[\"']?"

# Each keeps its first group, which says what was there.
_NAMED = (
    r"(?i)\b(bearer\s+)(?!(?:auth\w*|tokens?|scheme|format)\b)[\w.~+/-]{8,}=*",
    r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|token|bearer|digest)\s+)?)(?!bearer\b)[^\s\"',;\[]{6,}",
    rf"(?i)(\b[\w-]*(?:{_NAMES}){_ASSIGNED})(?!\[redacted)[^\s\"'&,;]{{6,}}",
    r"(://[^\s/:@]+:)[^\s/@]{3,}(?=@)",
)


def replace_secrets(text: str, replacement: str) -> str:
    """Return a text in which everything that looks like a secret is replaced."""
    text = re.sub(_PEM, replacement, text, flags=re.DOTALL)
    text = re.sub(rf"(?<![\w-])(?:{_KEYS})", replacement, text)
    for pattern in _NAMED:
        text = re.sub(pattern, rf"\g<1>{replacement}", text)
    return text
