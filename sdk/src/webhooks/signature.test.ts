import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { InvalidWebhook, verifyWebhook } from "./signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"type":"job.completed","timestamp":"2026-01-31T12:00:00Z","data":{"id":"é"}}';

function headersFor(body: string, { secret = SECRET, ageSeconds = 0 } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.${body}`).digest("base64");
  return {
    "Webhook-Id": "msg_1",
    "Webhook-Timestamp": timestamp,
    "Webhook-Signature": `v1,!! v2,x v1,${signature}`,
  };
}

test("a signed message is returned, from text or bytes, plain headers or Headers, one secret or several", async () => {
  const message = JSON.parse(BODY);
  expect(await verifyWebhook(BODY, headersFor(BODY), SECRET)).toEqual(message);
  const headers = new Headers(headersFor(BODY));
  expect(await verifyWebhook(Buffer.from(BODY), headers, ["whsec_b2xk", SECRET])).toEqual(message);
});

test("the vector of the reference implementations is accepted when its age is", async () => {
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const body = '{"test": 2432232314}';
  const anyAge = { toleranceSeconds: Number.POSITIVE_INFINITY };
  expect(await verifyWebhook(body, headers, SECRET, anyAge)).toEqual({ test: 2432232314 });
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toThrow("too old");
});

test.each([
  ["a changed body", `${BODY} `, headersFor(BODY), SECRET],
  ["another secret", BODY, headersFor(BODY, { secret: "whsec_b2xk" }), SECRET],
  ["an old message", BODY, headersFor(BODY, { ageSeconds: 3600 }), SECRET],
  ["a message of the future", BODY, headersFor(BODY, { ageSeconds: -3600 }), SECRET],
  ["no headers", BODY, {}, SECRET],
  ["a wrong timestamp", BODY, { ...headersFor(BODY), "Webhook-Timestamp": "-1" }, SECRET],
  ["no signature", BODY, { ...headersFor(BODY), "Webhook-Signature": "" }, SECRET],
  ["a wrong secret", BODY, headersFor(BODY), "whsec_!"],
  ["an empty secret", BODY, headersFor(BODY), "whsec_"],
  ["no secret", BODY, headersFor(BODY), []],
])("%s is refused", async (_what, body, headers, secret) => {
  await expect(verifyWebhook(body, headers, secret)).rejects.toThrow(InvalidWebhook);
});
