/**
 * The whole service for a test: assembled like main.ts, on its own database, listening on loopback. Tests use it over
 * HTTP only.
 */
import type { CreatedKey, KeyMode, KeyScope, Plan } from "@mailvet/contract";
import type { Lab } from "@mailvet/lab";
import { assemble } from "../src/assembly.ts";
import { createLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";
import { terminalText } from "../src/start-message.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

export const OPERATOR = { email: "operator@team.example", password: "an operator's password" };
export const OPERATOR_KEY = "the-operator-chose-this-key";

// biome-ignore lint/suspicious/noExplicitAny: tests inspect bodies of every shape
export type Answer = { status: number; headers: Headers; body: any; text: string };
export type Asked = {
  method?: string;
  /** The apparent client address: the service trusts a proxy on this machine. */
  from?: string | undefined;
  key?: string | undefined;
  /** The key as a bearer token. */
  bearer?: string | undefined;
  cookie?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  /** Sent as it is, instead of a body. */
  form?: FormData | undefined;
};

/** An upload form with a file. */
export function formWith(content: string | Uint8Array<ArrayBuffer>, filename = "list.csv"): FormData {
  const form = new FormData();
  form.append("file", new Blob([content]), filename);
  return form;
}

export type TestService = AsyncDisposable & {
  url: string;
  database: TestDatabase;
  /** A path below /api/v1. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** Signs up an account, on this plan and with exactly these credits. */
  openAccount(wanted?: { plan?: Plan; credits?: number }): Promise<TestAccount>;
  /** The operator's session. */
  operatorCookie(): Promise<string>;
  /** Texts printed to the operator's terminal. */
  said: readonly string[];
};

export type TestAccount = {
  accountId: string;
  email: string;
  password: string;
  cookie: string;
  /** A live key with all scopes. */
  key: string;
  makeKey(wanted?: { mode?: KeyMode; scopes?: KeyScope[]; expires_at?: string }): Promise<CreatedKey>;
};

export async function openService(
  options: {
    lab?: Lab;
    env?: Record<string, string>;
    logTo?: (line: string) => void;
    /** A database that other processes use too; it is left open. */
    database?: TestDatabase;
  } = {},
): Promise<TestService> {
  const { lab, env = {}, logTo } = options;
  const database = options.database ?? (await openTestDatabase());
  const config = readConfig(
    {
      DATABASE_URL: urlOf(database),
      DATA_DIR: database.dataDirectory,
      PORT: "0",
      ADMIN_EMAIL: OPERATOR.email,
      ADMIN_PASSWORD: OPERATOR.password,
      BOOTSTRAP_API_KEY: OPERATOR_KEY,
      SIGN_UP_CREDITS: "0",
      TRUSTED_PROXIES: "127.0.0.1",
      OVERLOAD_DELAY_SECONDS: "600", // a starved test is slow, not overloaded
      LOG_LEVEL: logTo ? "debug" : "silent",
      // Without a lab no server is contacted: there is no name server at this address.
      DNS_SERVERS: lab?.nameServer ?? "127.0.0.1:9",
      EGRESS_ALLOW: "127.0.0.0/8",
      ...(lab ? { SMTP_PORT: String(lab.smtpPort) } : {}),
      ...env,
    },
    ".",
  );
  const log = createLog({ ...config.log, ...(logTo ? { destination: { write: logTo } } : {}) });
  const said: string[] = [];
  const service = await assemble(config, log, (message) => said.push(terminalText(message)));
  const url = await service.app.listen({ host: config.host, port: config.port });
  if (lab) await service.warmUp();
  await service.welcome();

  const ask = async (path: string, asked: Asked = {}): Promise<Answer> => {
    const { method, from, key, bearer, cookie, headers = {}, body, form } = asked;
    const json = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: method ?? (body === undefined && form === undefined ? "GET" : "POST"),
      headers: {
        ...(from === undefined ? {} : { "x-forwarded-for": from }),
        ...(key === undefined ? {} : { "x-api-key": key }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: json ?? form ?? null,
    });
    const text = await answer.text();
    const isJson = text !== "" && /[/+]json/.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text, text };
  };

  let operator: Promise<string> | undefined;
  const operatorCookie = () => {
    operator ??= ask("/auth/sign-in", { body: OPERATOR }).then(cookieOf);
    return operator;
  };

  let people = 0;
  const openAccount: TestService["openAccount"] = async ({ plan = "enterprise", credits = 100 } = {}) => {
    const email = `person${++people}@team.example`;
    const password = `the password of account ${people}`;
    const signedUp = await ask("/auth/sign-up", { body: { email, password } });
    const cookie = cookieOf(signedUp);
    const accountId: string = signedUp.body.account.id;
    const asOperator = { cookie: await operatorCookie() };
    await must(ask(`/operator/accounts/${accountId}`, { ...asOperator, method: "PATCH", body: { plan } }));
    if (credits > 0) {
      await must(ask(`/operator/accounts/${accountId}/grants`, { ...asOperator, body: { amount: credits } }));
    }
    const makeKey: TestAccount["makeKey"] = async (wanted = {}) =>
      (await must(ask("/keys", { cookie, body: { name: "a key", ...wanted } }))).body;
    const { key } = await makeKey();
    return { accountId, email, password, cookie, key, makeKey };
  };

  return {
    url,
    database,
    ask,
    openAccount,
    operatorCookie,
    said,
    async [Symbol.asyncDispose]() {
      await service.close();
      if (!options.database) await database.close();
    },
  };
}

/** The value for DATABASE_URL. */
export function urlOf({ connection: { host, user, database } }: TestDatabase): string {
  return `postgres://${encodeURIComponent(host!)}/${database}?user=${user}`;
}

/** The name and value of the cookie that an answer sets. */
export function cookieOf({ headers, status, body }: Answer): string {
  const cookie = headers.getSetCookie()[0]?.split(";", 1)[0];
  if (!cookie) throw new Error(`no cookie in ${status} ${JSON.stringify(body)}`);
  return cookie;
}

/** Fails unless the request succeeded. */
export async function must(answer: Promise<Answer>): Promise<Answer> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return answer;
}
