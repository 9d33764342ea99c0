/** The local part: its influence where SMTP is inconclusive, and where it is conclusive. */
import { acceptsEveryone, answersWith, mailDomain, type Temperament } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Evidence } from "../../src/evidence.ts";
import { loadNameModel } from "../../src/plausibility/name-model/name-model.ts";
import { tallyOf } from "../../src/plausibility/naming-pattern.ts";
import { reportOf } from "../../src/report.ts";
import { engineIn, openStory, type Story } from "./story.ts";

const COLLEAGUES = ["anna.keller", "john.miller", "peter.wagner", "maria.garcia", "david.brown"];
const nameModel = loadNameModel();
const naming = tallyOf(COLLEAGUES);

const ASKING = { requestId: "1", planTier: "local", responseTimeMs: 1, checkedAtMs: 0, cached: false };
const reported = (evidence: Evidence) => reportOf(evidence, ASKING);

let story: Story;
beforeAll(async () => {
  story = await openStory(
    {
      "open.test": mailDomain({ temper: acceptsEveryone }),
      "honest.test": mailDomain({
        users: ["emily.clark", "zxqvkjwpt", "krzysztof.wojcik", "nguyenvanhieu", "李伟", "xqz"],
      }),
      "grey.test": mailDomain({
        temper: answersWith({ at: "rcpt", reply: "451 4.3.0 Temporary lookup failure" }),
      }),
    },
    { nameModel, knowledge: { namingAt: async (domain) => (domain === "open.test" ? naming : undefined) } },
  );
});
afterAll(() => story[Symbol.asyncDispose]());
const resultOf = async (email: string) => reported(await story.evidenceFor(email));

test("at a catch-all the name moves the score, with reasons", async () => {
  const [fits, fitsNot, random] = await Promise.all(
    ["emily.clark", "eclark", "zxqvkjwpt"].map((local) => resultOf(`${local}@open.test`)),
  );
  for (const { sub_status, is_valid } of [fits!, fitsNot!, random!]) {
    expect([sub_status, is_valid]).toEqual(["catch_all", false]);
  }
  expect(fits!.score).toBeGreaterThan(fitsNot!.score);
  expect(fitsNot!.score).toBeGreaterThan(random!.score);
  expect(fits!.ai_enhancement).toMatchObject({ used: true, method: `${nameModel.method}+naming` });
  expect(fits!.ai_enhancement.reasons).toContain(
    "follows first.last, like 5 of 5 confirmed mailboxes at this domain",
  );
  expect(random!.ai_enhancement.score).toBeLessThan(0.3);
});

test("after a temporary reply the name is the only evidence", async () => {
  const [likely, random] = await Promise.all([
    resultOf("emily.clark@grey.test"),
    resultOf("zxqvkjwpt@grey.test"),
  ]);
  expect([likely.status, random.status]).toEqual(["unknown", "unknown"]);
  expect(likely.score).toBeGreaterThan(random.score);
  expect(likely.metadata.features_used.ai_enhancement).toBe(true);
});

test("a proven mailbox is valid whatever its name, unless it looks random", async () => {
  expect(await story.verdictOn("emily.clark@honest.test")).toBe("valid");
  expect(await story.verdictOn("zxqvkjwpt@honest.test")).toBe("risky low_quality");
  expect(await story.verdictOn("krzysztof.wojcik@honest.test")).toBe("valid");
  expect(await story.verdictOn("nguyenvanhieu@honest.test")).toBe("valid");
  expect(await story.verdictOn("xqz@honest.test")).toBe("valid"); // may be initials
});

test("a rejection stands, however plausible the name; a typo in it is suggested", async () => {
  const refused = await resultOf("jennfier.miller@honest.test");
  expect([refused.status, refused.sub_status]).toEqual(["invalid", "mailbox_not_found"]);
  expect(refused.suggestion).toBe("jennifer.miller@honest.test");
  expect(refused.ai_enhancement.used).toBe(false);
});

test("with AI enhancement off the names make no difference", async () => {
  const off = engineIn(story.lab, { knowledge: { namingAt: async () => naming } });
  const scores = await Promise.all(
    ["emily.clark", "zxqvkjwpt"].map(async (local) => reported(await off.evidenceFor(`${local}@open.test`))),
  );
  expect(scores[0]!.score).toBe(scores[1]!.score);
  expect(scores[0]!.ai_enhancement).toEqual({ used: false, method: null, score: null, reasons: [] });
  expect(await off.verdictOn("zxqvkjwpt@honest.test")).toBe("valid");
  await off.end();
});

/** As Courier does unless it is told otherwise. */
const KNOWS_LOWER_CASE: Temperament = {
  on: {
    rcpt: ({ address }) =>
      address === address.toLowerCase() ? undefined : { reply: "550 5.1.1 User unknown" },
  },
};

test("a mailbox that the server knows in lower case only is not invalid in capitals", async () => {
  await using courier = await openStory({
    "shop.test": mailDomain({ users: ["ann", "bob"], temper: KNOWS_LOWER_CASE }),
  });
  const emails = ["ANN@shop.test", "Bob@shop.test", "EVE@shop.test", "ann@shop.test"];
  expect(await courier.verdictsOn(emails)).toEqual(["valid", "valid", "invalid mailbox_not_found", "valid"]);
});

test("a server that has accepted capitals is not asked for a mailbox in lower case too", async () => {
  await using capitals = await openStory({ "shop.test": mailDomain({ users: ["ann"] }) });
  expect(await capitals.verdictOn("ANN@shop.test")).toBe("valid");
  expect(await capitals.verdictOn("EVE@shop.test")).toBe("invalid mailbox_not_found");
  await capitals.end();
  const received = capitals.lab.received("mx.shop.test");
  expect(received.filter((line) => /<(?:ann|eve)@/i.test(line))).toEqual([
    "RCPT TO:<ANN@shop.test>",
    "RCPT TO:<EVE@shop.test>",
  ]);
});

test("adjudication is requested where the local score is inconclusive, and only there", async () => {
  const asked: string[] = [];
  const engine = engineIn(story.lab, {
    nameModel: { ...nameModel, judge: (local) => ({ score: local === "lumora" ? 0.5 : 0.99, signals: [] }) },
    knowledge: {
      adjudicate: async ({ address }) => {
        asked.push(address!.local);
        return { plausible: 0.9, reasonCode: "word_or_brand", method: "small-model" };
      },
    },
  });
  const [open] = await Promise.all(
    ["lumora@open.test", "emily.clark@open.test", "info@open.test", "emily.clark@honest.test"].map(
      async (email) => reported(await engine.evidenceFor(email)),
    ),
  );
  expect(asked).toEqual(["lumora"]);
  expect(open!.ai_enhancement).toMatchObject({
    method: `${nameModel.method}+adjudicator:small-model`,
    reasons: ["a language model reads it as a word or a brand"],
  });
  await engine.end();
});

test("a deployment source that fails or never answers does not affect the check", async () => {
  const engine = engineIn(story.lab, {
    nameModel,
    knowledge: {
      namingAt: () => new Promise(() => {}),
      adjudicate: () => {
        throw new Error("out of order");
      },
    },
  });
  const { failure, naming, adjudication } = await engine.evidenceFor("lumorik@open.test");
  expect({ failure, naming, adjudication }).toEqual({});
  await engine.end();
});
