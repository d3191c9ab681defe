"""The options of functions for signed URLs, compression and archives."""

from __future__ import annotations

URL_PARAMETERS = """
signature_param: string = "sig"; The name of the parameter with the signature.
expires_param: string = "exp"; The name of the parameter with the time of expiry.
kid_param: string = "kid"; The name of the parameter with the name of the secret.
kid: string; The name of the secret.
skew_seconds: int >= 0 = 0; The seconds by which the URL may have expired.
"""

PLACES = """
= signed_url 4, verify_signed_url 3
+ url_parameters

= gzip_decode 1, zstd_decode 1, brotli_decode 1, tar_extract 1, zip_extract 1
max_bytes: int >= 0; The maximum size of the output, in bytes.
"""
