"""Hooks of Schemathesis for npm run fuzz:api.

Random data rarely names something that exists. In about two of three requests that match the description, what an operation needs is
replaced by the real thing: an id, a password, a file, a code. The rest of the request stays random.
"""

import base64
import hashlib
import hmac
import os
import random
import re
import struct
import time
import uuid
from urllib.parse import quote

import requests
import schemathesis

API = os.environ["FUZZ_API"]
KEY = os.environ["FUZZ_KEY"]
OPERATOR = {"email": os.environ["FUZZ_EMAIL"], "password": os.environ["FUZZ_PASSWORD"]}
PASSWORD = "a password for the fuzz run"
SESSION_COOKIE = "mailvet"
FILE = b"email\nvalid@mailvet.test\ncatch-all@mailvet.test\n"
SLOW_FILE = b"email\n" + b"".join(b"slow-3s+%d@mailvet.test\n" % number for number in range(100))
HOOK = "http://127.0.0.1:9/hook"  # nothing listens there


@schemathesis.hook
def before_call(context, case, kwargs):
    """A valid Idempotency-Key names one request, so each request gets its own. Each also comes from a network of its own, so
    that the limits per client network do not end the run."""
    headers = case.headers
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key):
        headers["Idempotency-Key"] = str(uuid.uuid4())
    headers["X-Forwarded-For"] = some_network()
    operation = case.operation.definition.raw.get("operationId")
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    if not is_negative and {"authorization", "x-api-key"} <= {name.lower() for name in headers}:
        # Alternatives by the description. Two keys that differ are refused, which service/test/operator-keys.test.ts shows.
        headers.pop("Authorization")
    has_unknown_header = any(name.lower().startswith("x-schemathesis") for name in headers)
    if not is_negative and not has_unknown_header and operation in REAL and random.random() < 0.67:
        REAL[operation](case)
    if operation == "followJob" and not is_negative:
        # The stream of a job ends with the job, and a paused one does not end by itself.
        send("POST", f"/bulk/jobs/{quote(str(case.path_parameters['job_id']), safe='')}/cancel")


uploads = []  # with their column; some are confirmed since


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.definition.raw.get("operationId") in ("previewUpload", "uploadLink") and response.status_code == 200:
        preview = response.json()
        uploads.append({"upload_id": preview["upload_id"], "email_column": preview["suggested_email_column"]})


def confirm_uploads():
    """An account may have a limited number of uploads that are not confirmed, and a run makes more."""
    while uploads:
        response = send("POST", "/bulk/upload/confirm", json=uploads.pop())
        if response.ok:
            send("POST", f"/bulk/jobs/{response.json()['id']}/cancel")


def some_network():
    network = f"{random.randrange(65536):x}:{random.randrange(65536):x}"
    return f"2001:db8:{network}::1"


def send(method, path, session=requests, **options):
    """A session sends its cookie, everything else the API key."""
    headers = {"X-Forwarded-For": some_network()}
    if session is requests:
        headers["X-API-Key"] = KEY
    return session.request(method, API + path, headers=headers, timeout=120, **options)


def ask(*request, **options):
    """The body of the response."""
    global operator
    response = send(*request, **options)
    if response.status_code == 401 and operator in request:
        operator = None  # an earlier request has ended its session
        request = (*request[:2], operator_session())
        response = send(*request, **options)
    if response.status_code == 403:
        restore_plan()
        response = send(*request, **options)
    while response.status_code == 429:
        confirm_uploads()
        time.sleep(1)
        response = send(*request, **options)
    response.raise_for_status()
    return response.json() if response.content else None


def restore_plan():
    """A run may change the plan of the account that it uses, also to one without API access."""
    session = operator_session()
    account = session.signed_in["account"]["id"]
    send("PATCH", f"/operator/accounts/{account}", session, json={"plan": "enterprise"}).raise_for_status()


def sign_in(path, credentials):
    session = requests.Session()
    session.signed_in = ask("POST", path, session, json=credentials)
    return session


operator = None


def operator_session():
    global operator
    operator = operator or sign_in("/auth/sign-in", OPERATOR)
    return operator


def new_account():
    """For what ends sessions or changes how one signs in."""
    return sign_in("/auth/sign-up", {"email": f"{uuid.uuid4()}@team.example", "password": PASSWORD})


def upload(file=FILE):
    upload_id = ask("POST", "/bulk/upload/preview", files={"file": ("list.csv", file)})["upload_id"]
    uploads.append({"upload_id": upload_id, "email_column": "email"})
    return upload_id


def job(file=SLOW_FILE):
    return ask("POST", "/bulk/upload/confirm", json={"upload_id": upload(file), "email_column": "email"})["id"]


def running_job():
    job_id = job()
    while ask("GET", f"/bulk/jobs/{job_id}")["status"] == "queued":
        time.sleep(0.2)
    return job_id


def job_after(action):
    job_id = running_job()
    ask("POST", f"/bulk/jobs/{job_id}/{action}")
    return job_id


completed = None


def completed_job():
    global completed
    if completed is None:
        completed = job(FILE)
        while ask("GET", f"/bulk/jobs/{completed}")["status"] != "completed":
            time.sleep(0.2)
    return completed


def saved_list():
    return ask("POST", "/lists", json={"job_id": completed_job(), "name": "fuzz"})["id"]


def webhook():
    """The account has room for a few only."""
    for one in ask("GET", "/webhooks")[5:]:
        ask("DELETE", f"/webhooks/{one['id']}")
    return ask("POST", "/webhooks", json={"url": HOOK})["id"]


def api_key():
    return ask("POST", "/keys", operator_session(), json={"name": "fuzz"})["id"]


def totp(secret):
    """RFC 6238."""
    step = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(secret), step, hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start:start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def in_path(**makers):
    def put(case):
        case.path_parameters = {**case.path_parameters, **{name: make() for name, make in makers.items()}}

    return put


def in_body(make):
    def put(case):
        if isinstance(case.body, dict):
            case.body = {**case.body, **make()}

    return put


def to_body(make):
    """Instead of a random body, whose parts depend on each other."""

    def put(case):
        case.body = make()

    return put


def by_new_account(body):
    """`body` may prepare the account."""

    def put(case):
        # Another cookie than that of the run is a test of authentication.
        if (case.cookies or {}).get(SESSION_COOKIE) != os.environ["FUZZ_SESSION"] or not isinstance(case.body, dict):
            return
        session = new_account()
        case.body = {**case.body, **body(session)}
        case.cookies = {**case.cookies, SESSION_COOKIE: session.cookies[SESSION_COOKIE]}

    return put


def begin_codes(session):
    return ask("POST", "/auth/two-factor", session, json={"password": PASSWORD})["secret"]


def enable_codes(session):
    code = totp(begin_codes(session))
    return ask("POST", "/auth/two-factor/confirm", session, json={"code": code})["recovery_codes"][0]


def put_delivery(case):
    webhook_id = webhook()
    delivery_id = ask("POST", f"/webhooks/{webhook_id}/test")["id"]
    case.path_parameters = {**case.path_parameters, "webhook_id": webhook_id, "delivery_id": delivery_id}


def put_password(case):
    case.body = {"password": OPERATOR["password"]}


def new_account_id():
    return new_account().signed_in["account"]["id"]


REAL = {
    "getJob": in_path(job_id=completed_job),
    "getJobResults": in_path(job_id=completed_job),
    "downloadJob": in_path(job_id=completed_job),
    "followJob": in_path(job_id=completed_job),
    "getJobResult": in_path(job_id=completed_job, row=lambda: 1),
    "recheckJob": in_path(job_id=completed_job),
    "finishJob": in_path(job_id=running_job),
    "createList": in_body(lambda: {"job_id": completed_job()}),
    "getList": in_path(list_id=saved_list),
    "getListChanges": in_path(list_id=saved_list),
    "updateList": in_path(list_id=saved_list),
    "deleteList": in_path(list_id=saved_list),
    "estimateUpload": in_body(lambda: {"upload_id": upload(), "email_column": "email", "more_email_columns": []}),
    "createJob": to_body(lambda: {"emails": ["valid@mailvet.test", "catch-all@mailvet.test"]}),
    "cancelJob": in_path(job_id=job),
    "pauseJob": in_path(job_id=running_job),
    "resumeJob": in_path(job_id=lambda: job_after("pause")),
    "deleteJob": in_path(job_id=lambda: job_after("cancel")),
    "previewUpload": in_body(lambda: {"file": FILE.decode()}),  # bytes would not match the description
    "confirmUpload": to_body(lambda: {"upload_id": upload(), "email_column": "email"}),
    "inspectDomain": in_path(domain=lambda: "mailvet.test"),
    "createWebhook": in_body(lambda: {"url": HOOK}),
    "getWebhook": in_path(webhook_id=webhook),
    "updateWebhook": in_path(webhook_id=webhook),
    "deleteWebhook": in_path(webhook_id=webhook),
    "rotateWebhookSecret": in_path(webhook_id=webhook),
    "testWebhook": in_path(webhook_id=webhook),
    "listWebhookDeliveries": in_path(webhook_id=webhook),
    "replayWebhookDelivery": put_delivery,
    "revokeKey": in_path(key_id=api_key),
    "getAccountById": in_path(account_id=new_account_id),
    "changePlan": in_path(account_id=new_account_id),
    "grantCredits": in_path(account_id=new_account_id),
    "signUp": in_body(lambda: {"email": f"{uuid.uuid4()}@team.example", "password": PASSWORD}),
    "signIn": in_body(lambda: OPERATOR),
    "changePassword": by_new_account(lambda _: {"current_password": PASSWORD, "new_password": PASSWORD + "!"}),
    "beginTwoFactor": by_new_account(lambda _: {"password": PASSWORD}),
    "confirmTwoFactor": by_new_account(lambda session: {"code": totp(begin_codes(session))}),
    "replaceRecoveryCodes": by_new_account(lambda session: {"password": PASSWORD, "code": enable_codes(session)}),
    "disableTwoFactor": by_new_account(lambda session: {"password": PASSWORD, "code": enable_codes(session)}),
    "beginPasskey": put_password,
}
