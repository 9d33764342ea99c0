/** The adjudicator in the whole service: when it is asked, how results show it, and that nothing depends on it. */
import { loadNameModel, plausibilityOf } from "@mailvet/engine";
import { acceptsEveryone, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { hangsUp, judges, openLanguageModelServer } from "./language-model-server.ts";
import { testOnOneDay } from "./one-day.ts";
import { OPERATOR_KEY, openService } from "./service.ts";

const KEY = "sk-a-key-that-must-stay-secret";

/** Names that are ambiguous to the local model, whatever it was last trained on. */
const IN_DOUBT = [
  ...["zubra12", "kranz9", "velox3", "bluto77", "mkitt", "xavo", "teoz4", "drobnik3", "vanto8", "krelm"],
  ...["jbx42", "qorvi", "tmarl7", "nzsports", "abdkh", "ptrovsk", "wlh99", "svbank", "mxkel", "grzyb88"],
].filter((name) => {
  const score = loadNameModel().judge(name)?.score ?? 0;
  return score > 0.2 && score < 0.8;
});

testOnOneDay(
  "an ambiguous name at a catch-all is adjudicated; without the endpoint the local model decides",
  async () => {
    const [first, second] = IN_DOUBT;
    expect(IN_DOUBT.length).toBeGreaterThanOrEqual(2);
    await using model = await openLanguageModelServer(
      judges(() => ({ plausible: 1, reason_code: "nickname" })),
    );
    await using lab = await openLab({
      "open.test": mailDomain({ temper: acceptsEveryone }),
      "shop.test": mailDomain({ users: [first!] }),
    });
    const lines: string[] = [];
    const env = { AI_BASE_URL: model.url, AI_MODEL: "small-1", AI_API_KEY: KEY, AI_TIMEOUT_SECONDS: "5" };
    await using service = await openService({ lab, env, logTo: (line) => lines.push(line) });
    const check = (email: string) =>
      service.ask("/validation/single", { key: OPERATOR_KEY, body: { email } });
    const local = loadNameModel().method;

    const asked = (await check(`${first}@open.test`)).body;
    expect(asked).toMatchObject({
      status: "risky",
      sub_status: "catch_all",
      is_valid: false,
      ai_enhancement: { used: true, method: `${local}+adjudicator:small-1` },
    });
    expect(asked.ai_enhancement.reasons).toContain("a language model reads it as a nickname");
    expect(model.names()).toEqual([first]);

    // A mailbox that the server confirms is not adjudicated.
    expect((await check(`${first}@shop.test`)).body.status).toBe("valid");
    expect(model.names()).toHaveLength(1);

    model.behave(hangsUp);
    const alone = (await check(`${second}@open.test`)).body;
    expect(alone).toMatchObject({ sub_status: "catch_all", ai_enhancement: { used: true, method: local } });

    // The model rated every name as plausible as possible: that raises the score, within bounds.
    expect(logit(asked.ai_enhancement.score) - logit(scoreWithout(first!))).toBeCloseTo(1, 1);

    const { body } = await service.ask("/operator/system", { cookie: await service.operatorCookie() });
    expect(body.adjudicator).toMatchObject({
      model: "small-1",
      asked_today: 2,
      daily_budget: 10_000,
      answered: 1,
      failed: 1,
      rests_until: null,
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/mailvet_adjudicator_questions_total\{outcome="answered"\} 1/);
    expect([...lines, ...service.said, JSON.stringify(body), metrics].join("\n")).not.toContain(KEY);
  },
);

/** The score by the local model alone. */
function scoreWithout(local: string): number {
  const address = { local, quoted: false, domain: "open.test", unicodeDomain: "open.test" };
  const more = { isIpLiteral: false, needsSmtpUtf8: false, normalized: `${local}@open.test` };
  const nameScore = loadNameModel().judge(local)!;
  return plausibilityOf({ email: more.normalized, address: { ...address, ...more }, nameScore })!.score;
}

const logit = (share: number) => Math.log(share / (1 - share));

test.each([
  [{ AI_MODEL: "small-1" }, "AI_MODEL=small-1: expected AI_BASE_URL to be set as well"],
  [{ AI_API_KEY: KEY }, "AI_API_KEY=***: expected AI_BASE_URL to be set as well"],
  [
    { AI_BASE_URL: "http://127.0.0.1:1/v1" },
    "AI_BASE_URL=http://127.0.0.1:1/v1: expected AI_MODEL to be set as well",
  ],
  [
    { AI_BASE_URL: "ftp://models.example", AI_MODEL: "m" },
    "AI_BASE_URL=ftp://models.example: expected an address",
  ],
  [
    { AI_BASE_URL: "https://me:pass@models.example", AI_MODEL: "m" },
    "AI_BASE_URL=https://***@models.example: expected",
  ],
  [
    { AI_BASE_URL: "https://models.example", AI_MODEL: "m", AI_API_KEY: `${KEY}\nx` },
    "AI_API_KEY=***: expected",
  ],
  [{ AI_TIMEOUT_SECONDS: "60" }, "AI_TIMEOUT_SECONDS=60: expected seconds"],
  [{ AI_DAILY_BUDGET: "0" }, "AI_DAILY_BUDGET=0: expected a whole number"],
  [{ AI_SEND_DOMAIN: "maybe" }, "AI_SEND_DOMAIN=maybe: expected one of no, yes"],
])("invalid settings are refused at the start: %j", (env, complaint) => {
  const read = () => readConfig(env, ".");
  expect(read).toThrow(complaint);
  expect(read).not.toThrow(KEY);
});
