"""Hooks of Schemathesis for npm run fuzz:api."""

import random
import re
import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """A valid Idempotency-Key names one request, so each request gets its own. Each also comes from a network of its own, so
    that the limits per client network do not end the run."""
    headers = case.headers
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key):
        headers["Idempotency-Key"] = str(uuid.uuid4())
    network = f"{random.randrange(65536):x}:{random.randrange(65536):x}"
    headers["X-Forwarded-For"] = f"2001:db8:{network}::1"
