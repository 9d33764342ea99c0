/** Passkeys over HTTP, with an authenticator in software. */
import { TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Asked, cookieOf, OPERATOR, openService, type TestService } from "./service.ts";
import { type Changes, createSoftwareAuthenticator } from "./software-authenticator.ts";

const PUBLIC_URL = "https://mailvet.example";

let service: TestService;
beforeAll(async () => {
  service = await openService({ env: { PUBLIC_URL } });
});
afterAll(() => service[Symbol.asyncDispose]());

type Person = { cookie: string; password: string };

const at = (where: TestService) => {
  const challenge = async () => (await where.ask("/auth/passkeys/challenge", { method: "POST" })).body;
  const begin = ({ cookie, password }: Person) =>
    where.ask("/auth/passkeys/options", { cookie, body: { password } });
  const add = (cookie: string, credential: unknown, name = "laptop") =>
    where.ask("/auth/passkeys", { cookie, body: { name, credential } });
  const signIn = (credential: unknown, asked: Asked = {}) =>
    where.ask("/auth/passkeys/sign-in", { body: { credential }, ...asked });
  const list = async (cookie: string) => (await where.ask("/auth/passkeys", { cookie })).body;
  return {
    challenge,
    begin,
    add,
    signIn,
    list,
    /** A passkey of the account, and the way to sign in with it. */
    async register(person: Person, name?: string) {
      const authenticator = createSoftwareAuthenticator(PUBLIC_URL);
      const added = await add(person.cookie, authenticator.create((await begin(person)).body), name);
      expect(added).toMatchObject({ status: 201 });
      const id: string = added.body.id;
      const assert = async (changes?: Changes) => authenticator.get(await challenge(), changes);
      return {
        id,
        authenticator,
        assert,
        signIn: async (changes?: Changes) => signIn(await assert(changes)),
      };
    },
    rename: (cookie: string, id: string, name: string) =>
      where.ask(`/auth/passkeys/${id}`, { method: "PATCH", cookie, body: { name } }),
    remove: (cookie: string, id: string, proof: object) =>
      where.ask(`/auth/passkeys/${id}/remove`, { cookie, body: proof }),
  };
};

const rejectedAs = (code: string, status: number) => ({ status, body: { code } });
const REJECTED = rejectedAs("passkey_rejected", 401);

test("a passkey is added with the password, listed, renamed, signs in without it, and is removed", async () => {
  const { begin, add, list, rename, challenge, signIn, remove } = at(service);
  const ann = await service.openAccount();
  expect(await service.ask("/auth/passkeys/options", { cookie: ann.cookie, body: {} })).toMatchObject(
    rejectedAs("validation_failed", 422),
  );
  expect(await begin({ ...ann, password: "a wrong guess" })).toMatchObject(
    rejectedAs("wrong_credentials", 401),
  );
  const { body: options } = await begin(ann);
  expect(options).toMatchObject({
    rp: { id: "mailvet.example", name: "Mailvet" },
    user: { name: ann.email },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    attestation: "none",
    excludeCredentials: [],
  });

  const authenticator = createSoftwareAuthenticator(PUBLIC_URL);
  const added = await add(ann.cookie, authenticator.create(options), "Ann's laptop");
  expect(added).toMatchObject({ status: 201, body: { name: "Ann's laptop", last_used_at: null } });
  expect(await list(ann.cookie)).toEqual([added.body]);

  const { id } = added.body;
  const renamed = { ...added.body, name: "Ann's old laptop" };
  expect(await rename(await service.operatorCookie(), id, "mine")).toMatchObject(
    rejectedAs("passkey_not_found", 404),
  );
  expect(await rename(ann.cookie, id, "")).toMatchObject(rejectedAs("validation_failed", 422));
  expect(await rename(ann.cookie, id, renamed.name)).toMatchObject({ status: 200, body: renamed });
  expect(await list(ann.cookie)).toEqual([renamed]);

  const signedIn = await signIn(authenticator.get(await challenge()));
  expect(signedIn).toMatchObject({ status: 200, body: { account: { id: ann.accountId } } });
  const cookie = cookieOf(signedIn);
  expect((await list(cookie))[0].last_used_at).toEqual(expect.any(String));
  expect((await begin(ann)).body.excludeCredentials).toHaveLength(1);

  expect(await remove(cookie, added.body.id, { password: "a wrong guess" })).toMatchObject({ status: 401 });
  const proof = { credential: authenticator.get(await challenge()) };
  expect(await remove(cookie, added.body.id, proof)).toMatchObject({ status: 204 });
  expect(await list(cookie)).toEqual([]);
  expect(await signIn(authenticator.get(await challenge()))).toMatchObject(REJECTED);
  // A session that was opened with it would outlive it.
  expect(await service.ask("/auth/session", { cookie: ann.cookie })).toMatchObject({ status: 401 });
});

describe("a signature is refused", () => {
  const { register, challenge, signIn } = at({ ask: (...asked) => service.ask(...asked) } as TestService);
  const changed: readonly (readonly [what: string, changes: Changes])[] = [
    ["from another origin", { origin: "https://attacker.example" }],
    ["from another port", { origin: `${PUBLIC_URL}:8443` }],
    ["for another domain", { rpId: "attacker.example" }],
    ["without user verification", { isUserVerified: false }],
    ["of another ceremony", { type: "webauthn.create" }],
    ["with the handle of another account", { userHandle: "AAAAAAAAAAAAAAAAAAAAAA" }],
    ["with a counter that stands still", { counter: 1 }],
  ];

  for (const [what, changes] of changed) {
    test(what, async () => {
      const { signIn } = await register(await service.openAccount());
      const refused = await signIn(changes);
      expect(refused).toMatchObject(REJECTED);
      expect(refused.headers.getSetCookie()).toEqual([]);
      expect(await signIn({ counter: 100 })).toMatchObject({ status: 200 }); // that was the only reason
    });
  }

  test("with a counter that goes back", async () => {
    const { signIn } = await register(await service.openAccount());
    expect(await signIn({ counter: 10 })).toMatchObject({ status: 200 });
    expect(await signIn({ counter: 9 })).toMatchObject(REJECTED);
    expect(await signIn({ counter: 0 })).toMatchObject(REJECTED);
    expect(await signIn({ counter: 11 })).toMatchObject({ status: 200 });
  });

  test("with a challenge that was used, by itself and by others", async () => {
    const { authenticator } = await register(await service.openAccount());
    const other = await register(await service.openAccount());
    const options = await challenge();
    const credential = authenticator.get(options);
    expect(await signIn(credential)).toMatchObject({ status: 200 });
    expect(await signIn(credential)).toMatchObject(REJECTED);
    expect(await signIn(authenticator.get(options))).toMatchObject(REJECTED);
    expect(await signIn(other.authenticator.get(options))).toMatchObject(REJECTED);
  });

  test("of concurrent sign-ins with one signature, one succeeds", async () => {
    const { assert } = await register(await service.openAccount());
    const credential = await assert();
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(credential)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("with a challenge that was refused once", async () => {
    const { authenticator } = await register(await service.openAccount());
    const options = await challenge();
    expect(await signIn(authenticator.get(options, { isUserVerified: false }))).toMatchObject(REJECTED);
    expect(await signIn(authenticator.get(options))).toMatchObject(REJECTED);
  });

  test("with a challenge of its own, an expired one, and one for a new passkey", async () => {
    const ann = await service.openAccount();
    const { authenticator } = await register(ann);
    const options = await challenge();
    expect(await signIn(authenticator.get({ ...options, challenge: "A".repeat(43) }))).toMatchObject(
      REJECTED,
    );
    await service.database.pool.query("update passkey_challenges set expires_at = now()");
    expect(await signIn(authenticator.get(options))).toMatchObject(REJECTED);
    const { body } = await at(service).begin(ann);
    expect(await signIn(authenticator.get({ ...options, challenge: body.challenge }))).toMatchObject(
      REJECTED,
    );
  });

  test("whose bytes were changed", async () => {
    const { assert } = await register(await service.openAccount());
    const { response, ...credential } = await assert();
    const bytes = Buffer.from(response.signature, "base64url");
    bytes[bytes.length - 1]! ^= 1;
    const signature = bytes.toString("base64url");
    expect(await signIn({ ...credential, response: { ...response, signature } })).toMatchObject(REJECTED);
  });

  test("for the account of someone else, as proof", async () => {
    const { remove } = at(service);
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const [anns, bobs] = [await register(ann), await register(bob)];
    expect(await remove(ann.cookie, anns.id, { credential: await bobs.assert() })).toMatchObject(REJECTED);
    expect(await remove(ann.cookie, bobs.id, { password: ann.password })).toMatchObject(
      rejectedAs("passkey_not_found", 404),
    );
    expect(await bobs.signIn()).toMatchObject({ status: 200 });
  });
});

describe("a new passkey is refused", () => {
  const changed: readonly (readonly [what: string, changes: Changes])[] = [
    ["from another origin", { origin: "https://attacker.example" }],
    ["for another domain", { rpId: "attacker.example" }],
    ["without user verification", { isUserVerified: false }],
    ["of another ceremony", { type: "webauthn.get" }],
    ["with a certificate of its maker", { attestation: "certificate" }],
  ];
  for (const [what, changes] of changed) {
    test(what, async () => {
      const { begin, add, list } = at(service);
      const ann = await service.openAccount();
      const credential = createSoftwareAuthenticator(PUBLIC_URL).create((await begin(ann)).body, changes);
      expect(await add(ann.cookie, credential)).toMatchObject(rejectedAs("validation_failed", 422));
      expect(await list(ann.cookie)).toEqual([]);
    });
  }

  test("with a challenge that was used, or is for another account or for signing in", async () => {
    const { begin, add, challenge, list } = at(service);
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const { body: options } = await begin(ann);
    const create = (changed: object = {}) =>
      createSoftwareAuthenticator(PUBLIC_URL).create({ ...options, ...changed });
    expect(await add(bob.cookie, create())).toMatchObject({ status: 422 });
    expect(await add(ann.cookie, create({ challenge: (await challenge()).challenge }))).toMatchObject({
      status: 422,
    });
    expect(await add(ann.cookie, create())).toMatchObject({ status: 201 });
    expect(await add(ann.cookie, create())).toMatchObject({ status: 422 });
    expect([await list(ann.cookie), await list(bob.cookie)].map(({ length }) => length)).toEqual([1, 0]);
  });

  test("that is registered already, by any account", async () => {
    const { begin, add, register, list } = at(service);
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const { authenticator } = await register(ann);
    const { body } = await begin(bob);
    expect(await add(bob.cookie, authenticator.create(body))).toMatchObject({ status: 422 });
    expect(await list(bob.cookie)).toEqual([]);
  });

  test("beyond twenty", async () => {
    const { begin, register } = at(service);
    const ann = await service.openAccount();
    await register(ann);
    await service.database.pool.query(
      `insert into passkeys (account_id, name, credential_id, public_key, counter)
       select $1, 'one of many', sha256(n::text::bytea), 'x', 0 from generate_series(2, 20) n`,
      [ann.accountId],
    );
    expect(await begin(ann)).toMatchObject(rejectedAs("too_many_passkeys", 409));
  });
});

test("an authenticator that signs its own attestation, and one that does not count, are accepted", async () => {
  const { begin, add, signIn, challenge } = at(service);
  const ann = await service.openAccount();
  const authenticator = createSoftwareAuthenticator(PUBLIC_URL);
  const { body } = await begin(ann);
  const credential = authenticator.create(body, { attestation: "self", counter: 0 });
  expect(await add(ann.cookie, credential)).toMatchObject({ status: 201 });
  for (let count = 0; count < 2; count++)
    expect(await signIn(authenticator.get(await challenge(), { counter: 0 }))).toMatchObject({ status: 200 });
});

test("attempts are limited per passkey and network, and challenges per network", async () => {
  const { register, challenge, signIn } = at(service);
  const { authenticator } = await register(await service.openAccount());
  const from = "198.51.100.1";
  const attempt = async (changes?: Changes) =>
    signIn(authenticator.get(await challenge(), changes), { from });
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) statuses.push((await attempt({ isUserVerified: false })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await attempt()).toMatchObject(rejectedAs("rate_limited", 429));
  expect(await signIn(authenticator.get(await challenge()))).toMatchObject({ status: 200 }); // from elsewhere

  const ask = () => service.ask("/auth/passkeys/challenge", { method: "POST", from: "198.51.101.1" });
  const answers = await Promise.all(Array.from({ length: 101 }, ask));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
});

test("challenges are stored as hashes and deleted once they have expired", async () => {
  const { challenge } = await at(service).challenge();
  const { pool } = service.database;
  const stored = async () =>
    (await pool.query("select encode(challenge_hash, 'hex') as hash from passkey_challenges")).rows;
  expect(JSON.stringify(await stored())).not.toContain(Buffer.from(challenge, "base64url").toString("hex"));
  await pool.query("update passkey_challenges set expires_at = now()");
  await expect.poll(stored).toEqual([]);
});

test("a code is not needed with a passkey, and still needed with the password", async () => {
  const { register } = at(service);
  const ann = await service.openAccount();
  const { body } = await service.ask("/auth/two-factor", {
    cookie: ann.cookie,
    body: { password: ann.password },
  });
  const code = new TOTP({ secret: body.secret }).generate();
  await service.ask("/auth/two-factor/confirm", { cookie: ann.cookie, body: { code } });
  const { signIn } = await register(ann);
  expect(await signIn()).toMatchObject({ status: 200 });
  expect(
    await service.ask("/auth/sign-in", { body: { email: ann.email, password: ann.password } }),
  ).toMatchObject(rejectedAs("two_factor_required", 401));
});

describe("REQUIRE_TWO_FACTOR=operators", () => {
  let strict: TestService;
  beforeEach(async () => {
    strict = await openService({ env: { PUBLIC_URL, REQUIRE_TWO_FACTOR: "operators" } });
  });
  afterEach(() => strict[Symbol.asyncDispose]());

  const accounts = (cookie: string) => strict.ask("/operator/accounts", { cookie });
  const byPassword = async (): Promise<Person> => ({
    cookie: cookieOf(await strict.ask("/auth/sign-in", { body: OPERATOR })),
    password: OPERATOR.password,
  });
  const withPasskey = async () => {
    const operator = await byPassword();
    return { operator, first: await at(strict).register(operator) };
  };

  test("a passkey counts as two factors, in the session that adds it and in those it opens", async () => {
    const operator = await byPassword();
    expect(await accounts(operator.cookie)).toMatchObject(rejectedAs("operator_only", 403));
    const added = await at(strict).register(operator);
    expect(await accounts(operator.cookie)).toMatchObject({ status: 200 });
    expect(await accounts(cookieOf(await added.signIn()))).toMatchObject({ status: 200 });
  });

  test("a session by password has no operator rights, and cannot get them with the password", async () => {
    const { begin, remove } = at(strict);
    const { first } = await withPasskey();
    const weak = await byPassword();
    expect(await accounts(weak.cookie)).toMatchObject(rejectedAs("operator_only", 403));
    const needsPasskey = rejectedAs("two_factor_required", 401);
    expect(await begin(weak)).toMatchObject(needsPasskey);
    const { password } = weak;
    expect(await strict.ask("/auth/two-factor", { cookie: weak.cookie, body: { password } })).toMatchObject(
      needsPasskey,
    );
    expect(await remove(weak.cookie, first.id, { password })).toMatchObject(needsPasskey);
    const credential = first.authenticator.get(await at(strict).challenge());
    expect(
      await strict.ask("/auth/passkeys/options", { cookie: weak.cookie, body: { credential } }),
    ).toMatchObject({ status: 200 });
  });

  test("the last second factor is not removed, also not by a password reset", async () => {
    const { remove, register } = at(strict);
    const { operator, first } = await withPasskey();
    const { password } = operator;
    const isLast = rejectedAs("last_second_factor", 409);
    expect(await remove(operator.cookie, first.id, { password })).toMatchObject(isLast);

    await strict.ask("/auth/password-reset", { body: { email: OPERATOR.email } });
    const link = () => strict.said.map((text) => /token=([\w-]+)/.exec(text)?.[1]).find(Boolean);
    await expect.poll(link).toBeDefined();
    const body = { token: link(), new_password: "another fine password", remove_passkeys: true };
    expect(await strict.ask("/auth/password-reset/confirm", { body })).toMatchObject(isLast);

    const second = await register(operator, "phone");
    expect(await remove(operator.cookie, first.id, { password })).toMatchObject({ status: 204 });
    expect(await remove(operator.cookie, second.id, { password })).toMatchObject(isLast);
  });

  test("codes can be disabled while a passkey is left, and a passkey removed while codes are", async () => {
    const { remove, list } = at(strict);
    const { operator, first } = await withPasskey();
    const { cookie, password } = operator;
    const { body } = await strict.ask("/auth/two-factor", { cookie, body: { password } });
    const code = new TOTP({ secret: body.secret }).generate();
    const confirmed = await strict.ask("/auth/two-factor/confirm", { cookie, body: { code } });
    const [one, other] = confirmed.body.recovery_codes;
    const disable = (code: string) =>
      strict.ask("/auth/two-factor/disable", { cookie, body: { password, code } });
    expect(await remove(cookie, first.id, { password })).toMatchObject({ status: 204 });
    expect(await list(cookie)).toEqual([]);
    expect(await disable(one)).toMatchObject(rejectedAs("last_second_factor", 409));
    await at(strict).register(operator);
    expect(await disable(other)).toMatchObject({ status: 204 });
  });
});

test("the passkey of a suspended account signs in only after the account is resumed", async () => {
  await using service = await openService({ env: { PUBLIC_URL } });
  const ann = await service.openAccount();
  const { signIn } = await at(service).register(ann);
  const cookie = await service.operatorCookie();
  const act = (what: string, body: object) =>
    service.ask(`/operator/accounts/${ann.accountId}/${what}`, { cookie, body });
  expect(await act("suspend", { reason: "Unpaid invoice" })).toMatchObject({ status: 200 });
  // More often than wrong attempts are allowed.
  for (let attempt = 0; attempt < 7; attempt++) {
    const refused = await signIn();
    expect(refused).toMatchObject(rejectedAs("account_suspended", 403));
    expect(refused.body.detail).toContain("Unpaid invoice");
    expect(refused.headers.get("set-cookie")).toBeNull();
  }
  expect(await act("resume", {})).toMatchObject({ status: 200 });
  expect(await signIn()).toMatchObject({ status: 200, body: { account: { id: ann.accountId } } });
});

test("without a domain name there are no passkeys, and everything else works", async () => {
  await using local = await openService(); // its address is 127.0.0.1
  const { cookie, password } = await local.openAccount();
  const unavailable = rejectedAs("passkeys_unavailable", 409);
  expect(await local.ask("/auth/passkeys/challenge", { method: "POST" })).toMatchObject(unavailable);
  expect(await local.ask("/auth/passkeys/options", { cookie, body: { password } })).toMatchObject(
    unavailable,
  );
  expect(await local.ask("/auth/passkeys", { cookie })).toMatchObject({ status: 200, body: [] });
});
