/** Reasons in the language of the caller: Accept-Language, or the cookie of the web app. */
import { LANGUAGE_COOKIE } from "@mailvet/contract";
import { mailDomain } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formWith, openService, type TestAccount, type TestService } from "./service.ts";
import { openValidationWorld, type ValidationWorld } from "./validation-world.ts";

let world: ValidationWorld;
let service: TestService;
let ann: TestAccount;
beforeAll(async () => {
  world = await openValidationWorld({ "shop.test": mailDomain({ users: ["ann"] }) });
  service = await openService({ lab: world.lab });
  ann = await service.openAccount();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const accept = (language: string) => ({ headers: { "accept-language": language } });
const languageOf = (headers: Headers) => [headers.get("content-language"), headers.get("vary")];
/** Longer answers also depend on Accept-Encoding. */
const VARY = expect.stringMatching(/^Accept-Language, Cookie(, accept-encoding)?$/);

const ENGLISH = "mx.shop.test accepts this mailbox and rejects made-up ones.";
const GERMAN = "mx.shop.test nimmt dieses Postfach an und lehnt erfundene ab.";
const NOBODY_GERMAN = "mx.shop.test meldet, dass dieses Postfach nicht existiert.";

test.for([
  ["de", "de"],
  ["de-CH, fr;q=0.9", "de"],
  ["en;q=0.5, de;q=0.8", "de"],
  ["fr, de;q=0.7, en;q=0.3", "de"],
  ["de;q=0.2, en;q=0.9", "en"],
  ["de;q=0, *", "en"],
  ["fr-FR, es", "en"],
  ["*", "en"],
  ["", "en"],
  ["-;;q=,,", "en"],
] as const)("Accept-Language: %s is answered in %s, also from the cache", async ([accepted, language]) => {
  const checked = { key: ann.key, body: { email: "ann@shop.test" }, ...accept(accepted) };
  const { body, headers } = await service.ask("/validation/single", checked);
  expect(body.reason).toBe(language === "de" ? GERMAN : ENGLISH);
  expect(languageOf(headers)).toEqual([language, VARY]);
  const again = await service.ask("/validation/single?email=ann@shop.test", {
    key: ann.key,
    ...accept(language === "de" ? "en" : "de"),
  });
  expect(again.body).toMatchObject({
    reason: language === "de" ? ENGLISH : GERMAN,
    metadata: { cached: true },
  });
});

test("the language that was chosen in the web app comes first", async () => {
  const chosen = { cookie: `${ann.cookie}; ${LANGUAGE_COOKIE}=de`, ...accept("en") };
  const { body } = await service.ask("/validation/single", { ...chosen, body: { email: "ann@shop.test" } });
  expect(body.reason).toBe(GERMAN);
});

test("the sentence about a syntax error is translated with what it quotes; its rule is the same", async () => {
  const email = "an n@shop.test";
  const { body } = await service.ask("/validation/single", {
    key: ann.key,
    body: { email },
    ...accept("de"),
  });
  expect(body).toMatchObject({
    reason: "Der Postfachname enthält Leerraum; das ist nur innerhalb von Anführungszeichen erlaubt.",
    details: { syntax_error: { rule: "local_white_space", message: body.reason } },
  });
});

test("problems are in English and say nothing else", async () => {
  const { status, body, headers } = await service.ask("/validation/single", {
    key: (await service.openAccount({ credits: 0 })).key,
    body: { email: "new@shop.test" },
    ...accept("de"),
  });
  expect([status, body.title, headers.get("content-language")]).toEqual([402, "Not enough credits", null]);
});

test("a response that is replayed is the stored one", async () => {
  const key = { "idempotency-key": "language" };
  const asked = { key: ann.key, body: { email: "ann@shop.test" } };
  const first = await service.ask("/validation/single", {
    ...asked,
    headers: { ...key, "accept-language": "de" },
  });
  const second = await service.ask("/validation/single", {
    ...asked,
    headers: { ...key, "accept-language": "en" },
  });
  expect(first.body.reason).toBe(GERMAN);
  expect([second.body.reason, second.headers.get("content-language")]).toEqual([GERMAN, null]);
});

test("results of a job, one of its rows and its downloads are each in the language of their request", async () => {
  const ask = (path: string, language = "en") =>
    service.ask(`/bulk${path}`, { key: ann.key, ...accept(language) });
  const { body: preview } = await service.ask("/bulk/upload/preview", {
    key: ann.key,
    form: formWith("email\nann@shop.test\nnobody@shop.test\n"),
    ...accept("de"),
  });
  const { body: job } = await service.ask("/bulk/upload/confirm", {
    key: ann.key,
    body: { upload_id: preview.upload_id, email_column: "email" },
    ...accept("de"),
  });
  await expect.poll(async () => (await ask(`/jobs/${job.id}`)).body.status).toBe("completed");

  const results = await ask(`/jobs/${job.id}/results`, "de");
  expect(results.body.map(({ reason }: { reason: string }) => reason)).toEqual([GERMAN, NOBODY_GERMAN]);
  expect(languageOf(results.headers)).toEqual(["de", VARY]);
  expect((await ask(`/jobs/${job.id}/results`, "fr")).body[0].reason).toBe(ENGLISH);
  const row = await ask(`/jobs/${job.id}/results/2`, "de");
  expect([row.body.reason, ...languageOf(row.headers)]).toEqual([NOBODY_GERMAN, "de", VARY]);

  const download = await ask(`/jobs/${job.id}/download?columns=email,status,reason`, "de");
  expect(download.text).toBe(
    `email,mailvet_status,mailvet_reason\r\nann@shop.test,valid,${GERMAN}\r\nnobody@shop.test,invalid,"${NOBODY_GERMAN}"\r\n`,
  );
  expect(languageOf(download.headers)).toEqual(["de", VARY]);
  expect((await ask(`/jobs/${job.id}/download?columns=email,reason`)).text).toContain(ENGLISH);
});
