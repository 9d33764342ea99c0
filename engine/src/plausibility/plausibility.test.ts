import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "../address/address.ts";
import { type Evidence, MAILBOX_ANSWERS } from "../evidence.ts";
import { reportOf } from "../report.ts";
import { verdictScore } from "../score.ts";
import { decide, isUnproven } from "../verdict.ts";
import { ADJUDICATION_REASONS } from "./adjudication.ts";
import { loadNameModel } from "./name-model/name-model.ts";
import { emptyTally, fitOf, TEMPLATES, type Template } from "./naming-pattern.ts";
import { isAmbiguous, plausibilityOf } from "./plausibility.ts";

const model = loadNameModel().method;
const addressOf = (local: string, domain = "shop.example") => {
  const parsed = parseAddress(`${local}@${domain}`);
  if (!parsed.ok) throw new Error(`${local} is malformed`);
  return parsed.address;
};

/** `count` mailboxes that all follow one template, `others` that follow none. */
const tally = (template: Template, count: number, others = 0) => {
  const { shares } = emptyTally();
  shares[TEMPLATES.indexOf(template)] = count;
  shares[TEMPLATES.indexOf("other")]! += others;
  return { mailboxes: count + others, shares };
};

const routed: Evidence = {
  email: "",
  route: { kind: "mail_hosts", implicit: false, hosts: [], isPartial: false },
  mailbox: { answer: "accepted" },
};
const catchAll = (local: string): Evidence => ({
  ...routed,
  address: addressOf(local),
  decoy: { answer: "accepted", confidence: 0.92 },
});
const proven = (local: string): Evidence => ({
  ...catchAll(local),
  decoy: { answer: "not_found", confidence: 0.95 },
});

const NAME_LIKE = { nameScore: { score: 0.97, signals: ["name_like"] } } as const;
const RANDOM = { nameScore: { score: 0.005, signals: ["consonant_run", "few_vowels"] } } as const;
const scored = (evidence: Evidence) => verdictScore(evidence, decide(evidence));

test("a name that fits the domain's pattern says so, with figures", () => {
  const evidence = { ...catchAll("anna.smith"), ...NAME_LIKE, naming: tally("first.last", 14, 2) };
  expect(plausibilityOf(evidence)).toMatchObject({
    method: `${model}+naming`,
    reasons: [
      "reads like a name that a person would choose",
      "follows first.last, like 14 of 16 confirmed mailboxes at this domain",
    ],
    looksRandom: false,
  });
});

test("a name that does not fit says so too, and scores lower", () => {
  const evidence = { ...catchAll("asmith"), ...NAME_LIKE, naming: tally("first.last", 14, 2) };
  expect(plausibilityOf(evidence)?.reasons[0]).toBe(
    "does not follow first.last, unlike 14 of 16 confirmed mailboxes at this domain",
  );
  expect(scored(evidence)).toBeLessThan(scored({ ...catchAll("asmith"), ...NAME_LIKE }));
});

test("the other addresses of a list have the same effect, but weaker", () => {
  const fitting = { ...catchAll("anna.smith"), ...NAME_LIKE };
  const byList = { ...fitting, listNaming: tally("first.last", 16) };
  expect(plausibilityOf(byList)?.reasons).toContain(
    "follows first.last, like 16 of 16 other addresses at this domain in the list",
  );
  const scores = [fitting, byList, { ...fitting, naming: tally("first.last", 16) }].map(
    (evidence) => plausibilityOf(evidence)!.score,
  );
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  expect(new Set(scores).size).toBe(3);
});

test("at a free provider other names are no evidence", () => {
  const free = { ...catchAll("asmith"), ...NAME_LIKE, isFree: true };
  expect(plausibilityOf({ ...free, naming: tally("first.last", 16) })).toEqual(plausibilityOf(free));
});

test.for([
  ["a role", { role: "department" }],
  ["a privacy relay's address", { isPrivacyRelay: true }],
  ["an agent's mailbox", { isAgentMailbox: true }],
  ["a disposable address", { disposable: "domain" }],
  ["any name, with AI enhancement off", { ignoresName: true }],
] as const satisfies [string, Partial<Evidence>][])("%s is not scored", ([, trait]) => {
  const evidence = { ...catchAll("zqxvkwjq"), ...RANDOM, ...trait };
  expect(plausibilityOf(evidence)).toBeUndefined();
  expect(isAmbiguous(evidence)).toBe(false);
});

test("a proven mailbox with a random name is low_quality, and still exists", () => {
  expect(decide({ ...proven("zqxvkwjq"), ...RANDOM })).toMatchObject({
    subStatus: "low_quality",
    isValid: true,
  });
});

test.for([
  ["a short one", proven("zqxvkwj"), {}],
  ["a short one with a tag", proven("zqxvkwj+newsletter"), {}],
  ["an unlikely one", proven("zqxvkwjq"), { nameScore: { score: 0.02, signals: ["few_vowels"] } }],
  [
    "one of strange letters",
    proven("zqxvkwjq"),
    { nameScore: { score: 0.001, signals: ["random_letters"] } },
  ],
  [
    "one that a language model finds plausible",
    proven("zqxvkwjq"),
    {
      adjudication: { plausible: 0.6, reasonCode: "nickname", method: "m" },
    },
  ],
  [
    "one that took a message",
    proven("zqxvkwjq"),
    {
      outcome: { outcome: "delivered", reportedAtMs: Date.now() },
    },
  ],
  ["one named like the others here", proven("akowalski"), { naming: tally("flast", 16) }],
] as const satisfies [string, Evidence, Partial<Evidence>][])(
  "what may be a person's name is not called random: %s",
  ([, mailbox, more]) => {
    expect(decide({ ...mailbox, ...RANDOM, ...more }).subStatus).toBe("");
  },
);

/** Real names in spellings that the model knows little of. */
const PEOPLE = `
  caoimhe caoimhin.obroin aoibheann.nidhomhnaill hrafnhildur.hafsteinsdottir gudrunhrafnkelsdottir goikoetxea
  xgoikoetxea07 enkhtuya enkhboldnyamdorj munkhtsetseg.dashdorj tserendorjkhurelbaatar tshegofatso.mokgatlhe
  tlhalefo.kgosi xgxoyi hsu.chihhsiung hchihhsiung zsuzsannaszlavik szlavik.zsuzsanna xhevdet.gjinushi
  kealiiahonui.aea faauugafaauiuiga xochitlcuauhtemoc gebregziabher.gmedhin llinospwllheli llwydmyfanwy
  grzegorz.brzeczyszczykiewicz mkrtich.mkrtchyan giorgi.mghvdliashvili abdulmohsen.alhqbani nguyenphuong1987
  thirunavukkarasu.shanmugam nqobile.ngwenya tyystjarvi.vaino vjekoslavvrhovac phatcharaphon.c srdjanmrksic84
`;

test.for(PEOPLE.trim().split(/\s+/))("%s is not low_quality", (local) => {
  const nameScore = loadNameModel().judge(local);
  expect(decide({ ...proven(local), ...(nameScore && { nameScore }) }).subStatus).toBe("");
});

test.for(["zxqvkjwpt", "asdfghjkl", "qwertzuiop", "k4x9q2w7zr", "sdfsdfsdfsdf", "xkcjvbnqwrtz"])(
  "%s looks random",
  (local) => {
    const nameScore = loadNameModel().judge(local)!;
    expect(decide({ ...proven(local), nameScore }).subStatus).toBe("low_quality");
  },
);

test("adjudication is requested where the local score is inconclusive or missing", () => {
  const judged = (score: number) => ({ ...catchAll("lumora"), nameScore: { score, signals: [] } });
  expect([0.02, 0.5, 0.98].map((score) => isAmbiguous(judged(score)))).toEqual([false, true, false]);
  expect(isAmbiguous(catchAll("李伟"))).toBe(true);
});

test("a language model may tip the balance and no more", () => {
  const open = { ...catchAll("lumora"), nameScore: { score: 0.5, signals: [] } };
  const said = (plausible: number) =>
    plausibilityOf({ ...open, adjudication: { plausible, reasonCode: "unsure", method: "m" } })!;
  expect(said(1)).toMatchObject({ score: 0.731, method: `${model}+adjudicator:m`, reasons: [] });
  expect(said(0).score).toBe(0.269);
});

const tallies = fc
  .array(fc.double({ min: 0, max: 50, noNaN: true }), {
    minLength: TEMPLATES.length,
    maxLength: TEMPLATES.length,
  })
  .map((shares) => ({ mailboxes: shares.reduce((sum, share) => sum + share, 0), shares }));
const locals = fc.constantFrom(
  "anna.smith",
  "asmith",
  "anna",
  "zqxvkwjq",
  "x7f3k9q2",
  "li",
  "李伟",
  "info",
  "a+b",
);
const probability = fc.double({ min: 0, max: 1, noNaN: true });

/** Evidence from mail servers and lists. */
const plain = fc.record(
  {
    address: locals.map((local) => addressOf(local)),
    route: fc.constant(routed.route!),
    mailbox: fc.record({ answer: fc.constantFrom(...MAILBOX_ANSWERS) }),
    decoy: fc.record({ answer: fc.constantFrom(...MAILBOX_ANSWERS), confidence: probability }),
    role: fc.constant("department"),
    isFree: fc.boolean(),
    isPrivacyRelay: fc.boolean(),
    isAgentMailbox: fc.boolean(),
    disposable: fc.constant("domain"),
  },
  { requiredKeys: ["address", "route"] },
) as fc.Arbitrary<Partial<Evidence>>;

/** Evidence from the name. */
const nameEvidence = fc.record(
  {
    nameScore: fc.record({ score: probability, signals: fc.constant([]) }),
    naming: tallies,
    listNaming: tallies,
    adjudication: fc.record({
      plausible: probability,
      reasonCode: fc.constantFrom(...ADJUDICATION_REASONS),
      method: fc.constant("m"),
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Evidence>>;

const worlds = fc.tuple(plain, nameEvidence).map(([said, fromName]) => {
  const without: Evidence = { email: "", ...said };
  return { without, with: { ...without, ...fromName } };
});

const ASKING = { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: false };
const presented = (evidence: Evidence) => {
  const { metadata, ...report } = reportOf(evidence, ASKING);
  return JSON.stringify({ ...report, metadata: { ...metadata, timestamp: 0 } });
};

test("no evidence from the name changes a verdict of the mail servers", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const [before, after] = [decide(world.without), decide(world.with)];
      expect(after.isValid).toBe(before.isValid);
      if (after.subStatus === "low_quality") expect(before.subStatus).toBe("");
      else expect([after.status, after.subStatus]).toEqual([before.status, before.subStatus]);
      if (!isUnproven(after) && after.subStatus !== "low_quality") {
        expect(after).toEqual(before);
        expect(scored(world.with)).toBe(scored(world.without));
      }
    }),
    { numRuns: 2000 },
  );
});

test("plausibility moves score and confidence within limits", () => {
  const reported = (evidence: Evidence, outcome: "bounced" | "delivered") =>
    scored({ ...evidence, outcome: { outcome, reportedAtMs: Date.now() } });
  fc.assert(
    fc.property(worlds, ({ with: evidence, without }) => {
      const verdict = decide(evidence);
      fc.pre(isUnproven(verdict));
      expect(scored(evidence)).toBeGreaterThanOrEqual(reported(evidence, "bounced")); // the ends of the band
      expect(scored(evidence)).toBeLessThanOrEqual(reported(evidence, "delivered"));
      expect(Math.abs(verdict.confidence - decide(without).confidence)).toBeLessThanOrEqual(0.0505);
      expect(plausibilityOf(evidence)?.score ?? 0.5).toSatisfy(
        (score: number) => score >= 0.05 && score <= 0.95,
      );
    }),
    { numRuns: 1000 },
  );
});

test("mailboxes that follow the same pattern never lower the score", () => {
  const alike = fc.constantFrom(["anna.smith", "first.last"], ["asmith", "flast"], ["anna", "first"]);
  const counts = fc.record({
    count: fc.integer({ min: 3, max: 50 }),
    others: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(
      nameEvidence,
      alike,
      counts,
      ({ naming: _, ...said }, [local, template], { count, others }) => {
        const evidence = { ...catchAll(local!), ...said };
        const naming = tally(template as Template, count, others);
        expect(fitOf(local!, naming)?.lift).toBeGreaterThanOrEqual(1);
        expect(scored({ ...evidence, naming })).toBeGreaterThanOrEqual(scored(evidence));
      },
    ),
    { numRuns: 500 },
  );
});

test("with AI enhancement off the name does not influence the result", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const off = presented({ ...world.with, ignoresName: true });
      expect(off).toBe(presented({ ...world.without, ignoresName: true }));
      expect(JSON.parse(off)).toMatchObject({ suggestion: null, ai_enhancement: { used: false } });
    }),
    { numRuns: 500 },
  );
});
