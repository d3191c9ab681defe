"""The examples in the doc comments of builtins return what they say."""

from __future__ import annotations

import re

import harnlite
from harnlite.analysis.builtins.digest import load_declarations

EXAMPLE = re.compile(r"Example: `(.+)` returns `(.+)`\.")
ENTRIES = load_declarations().entries
DOCUMENTED = {name: EXAMPLE.search(entry[4]) for name, entry in ENTRIES.items() if "Example:" in entry[4]}
HAVE_ONE = (
    "base32_decode base32_encode base64_decode base64_encode base64url_decode base64url_encode blake3 brotli_decode "
    "brotli_encode bytes_concat bytes_eq bytes_from_base64 bytes_from_hex bytes_from_string bytes_len bytes_slice "
    "bytes_to_base64 bytes_to_hex bytes_to_string bytes_to_string_lossy constant_time_eq ed25519_keypair ed25519_sign "
    "ed25519_verify gzip_decode gzip_encode hex_decode hex_encode hmac_sha256 hmac_sha256_base64 jwt_sign jwt_verify "
    "md5 sha224 sha256 sha384 sha3_256 sha3_512 sha512 sha512_256 signed_url tar_create tar_extract url_decode "
    "url_encode uuid uuid_nil uuid_parse uuid_v5 uuid_v7 verify_signed_url x25519_agree x25519_keypair zip_create "
    "zip_extract zstd_decode zstd_encode"
).split()


def test_builtins_have_examples():
    assert [name for name in HAVE_ONE if name not in DOCUMENTED] == []
    assert [name for name, found in DOCUMENTED.items() if found is None or name not in found[1]] == []


def test_examples_return_what_they_say():
    calls = "\n".join(f"  println({found[1]})" for found in DOCUMENTED.values())
    result = harnlite.run_source("pipeline default() {\n" + calls + "\n}\n")
    assert result.output.splitlines() == [found[2] for found in DOCUMENTED.values()]
