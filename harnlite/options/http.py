"""The options of HTTP requests."""

from __future__ import annotations

HTTP_REQUEST = """
headers: dict; The headers, by name.
query: dict | list<dict>; Parameters that are added to the URL.
json: any; A value that is sent as JSON.
form: dict | list<dict>; Fields that are sent as a form.
body: string | bytes; The body.
timeout: int | duration = 30000; The time limit of each attempt, including its redirects: a duration, or milliseconds.
retries: int >= 0 = 0; How often a request is retried that failed or was answered with 429, 502, 503 or 504.
follow: int >= 0 = 10; The maximum number of redirects.
max_bytes: int >= 0 = 50000000; The maximum size of the body, in bytes.
stream: "lines" | "chunks"; Return the body as an iter of lines or of bytes.
"""

PLACES = """
= http_request 2, http_get 1, http_head 1, http_post 1, http_put 1, http_patch 1, http_delete 1
+ http_request
"""
