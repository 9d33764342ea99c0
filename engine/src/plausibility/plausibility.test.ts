import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "../address/address.ts";
import { type Evidence, MAILBOX_ANSWERS } from "../evidence.ts";
import { reportOf } from "../report.ts";
import { verdictScore } from "../score.ts";
import { decide, isUnproven } from "../verdict.ts";
import { ADJUDICATION_REASONS, isAmbiguous } from "./adjudication.ts";
import { loadNameModel } from "./name-model.ts";
import { emptyTally, fitOf, TEMPLATES, type Template } from "./naming-pattern.ts";
import { plausibilityOf } from "./plausibility.ts";

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

const NAME_LIKE = { nameOpinion: { score: 0.97, traits: ["name_like"] } } as const;
const RANDOM = { nameOpinion: { score: 0.005, traits: ["consonant_run", "few_vowels"] } } as const;
const scored = (evidence: Evidence) => verdictScore(evidence, decide(evidence));

test("a name that fits the house is told so, in numbers", () => {
  const evidence = { ...catchAll("anna.smith"), ...NAME_LIKE, naming: tally("first.last", 14, 2) };
  expect(plausibilityOf(evidence)).toMatchObject({
    method: `${model}+naming`,
    reasons: [
      "reads like a name that somebody would choose",
      "looks like first.last, as 14 of 16 proven mailboxes here",
    ],
    looksRandom: false,
  });
});

test("a name that does not fit the house is told that too, and scores less", () => {
  const evidence = { ...catchAll("asmith"), ...NAME_LIKE, naming: tally("first.last", 14, 2) };
  expect(plausibilityOf(evidence)?.reasons[0]).toBe(
    "does not look like first.last, as 14 of 16 proven mailboxes here do",
  );
  expect(scored(evidence)).toBeLessThan(scored({ ...catchAll("asmith"), ...NAME_LIKE }));
});

test("the other addresses of a list say the same, and less loudly", () => {
  const fitting = { ...catchAll("anna.smith"), ...NAME_LIKE };
  const byList = { ...fitting, listNaming: tally("first.last", 16) };
  expect(plausibilityOf(byList)?.reasons).toContain(
    "looks like first.last, as 16 of 16 other addresses of this list here",
  );
  const scores = [fitting, byList, { ...fitting, naming: tally("first.last", 16) }].map(
    (evidence) => plausibilityOf(evidence)!.score,
  );
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  expect(new Set(scores).size).toBe(3);
});

test("at a free mail provider the names of others say nothing", () => {
  const free = { ...catchAll("asmith"), ...NAME_LIKE, isFree: true };
  expect(plausibilityOf({ ...free, naming: tally("first.last", 16) })).toEqual(plausibilityOf(free));
});

test.for([
  ["a role", { role: "department" }],
  ["a masking relay's name", { isPrivacyRelay: true }],
  ["a throw-away name", { disposable: "domain" }],
  ["any name, with AI enhancement off", { ignoresName: true }],
] as const satisfies [string, Partial<Evidence>][])("there is no opinion of %s", ([, trait]) => {
  const evidence = { ...catchAll("zqxvkwjq"), ...RANDOM, ...trait };
  expect(plausibilityOf(evidence)).toBeUndefined();
  expect(isAmbiguous(evidence)).toBe(false);
});

test("a proven mailbox of which nobody would choose the name is of low quality, and still exists", () => {
  expect(decide({ ...proven("zqxvkwjq"), ...RANDOM })).toMatchObject({
    subStatus: "low_quality",
    isValid: true,
  });
});

test.for([
  ["a short one", proven("zqxvkwj"), {}],
  ["a short one with a tag", proven("zqxvkwj+newsletter"), {}],
  ["an unlikely one", proven("zqxvkwjq"), { nameOpinion: { score: 0.02, traits: ["few_vowels"] } }],
  [
    "one of strange letters",
    proven("zqxvkwjq"),
    { nameOpinion: { score: 0.001, traits: ["random_letters"] } },
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
  "what may be somebody's name is not called random: %s",
  ([, mailbox, more]) => {
    expect(decide({ ...mailbox, ...RANDOM, ...more }).subStatus).toBe("");
  },
);

/** Names as people write them, of spellings that the model knows little of. */
const PEOPLE = `
  caoimhe caoimhin.obroin aoibheann.nidhomhnaill hrafnhildur.hafsteinsdottir gudrunhrafnkelsdottir goikoetxea
  xgoikoetxea07 enkhtuya enkhboldnyamdorj munkhtsetseg.dashdorj tserendorjkhurelbaatar tshegofatso.mokgatlhe
  tlhalefo.kgosi xgxoyi hsu.chihhsiung hchihhsiung zsuzsannaszlavik szlavik.zsuzsanna xhevdet.gjinushi
  kealiiahonui.aea faauugafaauiuiga xochitlcuauhtemoc gebregziabher.gmedhin llinospwllheli llwydmyfanwy
  grzegorz.brzeczyszczykiewicz mkrtich.mkrtchyan giorgi.mghvdliashvili abdulmohsen.alhqbani nguyenphuong1987
  thirunavukkarasu.shanmugam nqobile.ngwenya tyystjarvi.vaino vjekoslavvrhovac phatcharaphon.c srdjanmrksic84
`;

test.for(PEOPLE.trim().split(/\s+/))("nobody named %s is of low quality", (local) => {
  const opinion = loadNameModel().judge(local);
  expect(decide({ ...proven(local), ...(opinion && { nameOpinion: opinion }) }).subStatus).toBe("");
});

test.for(["zxqvkjwpt", "asdfghjkl", "qwertzuiop", "k4x9q2w7zr", "sdfsdfsdfsdf", "xkcjvbnqwrtz"])(
  "nobody is named %s",
  (local) => {
    const nameOpinion = loadNameModel().judge(local)!;
    expect(decide({ ...proven(local), nameOpinion }).subStatus).toBe("low_quality");
  },
);

test("a second opinion is worth asking for where the first leans to neither side, or is missing", () => {
  const judged = (score: number) => ({ ...catchAll("lumora"), nameOpinion: { score, traits: [] } });
  expect([0.02, 0.5, 0.98].map((score) => isAmbiguous(judged(score)))).toEqual([false, true, false]);
  expect(isAmbiguous(catchAll("李伟"))).toBe(true);
});

test("a language model may tip the scale and no more, whatever it says", () => {
  const open = { ...catchAll("lumora"), nameOpinion: { score: 0.5, traits: [] } };
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

/** What mail servers and lists say. */
const plain = fc.record(
  {
    address: locals.map((local) => addressOf(local)),
    route: fc.constant(routed.route!),
    mailbox: fc.record({ answer: fc.constantFrom(...MAILBOX_ANSWERS) }),
    decoy: fc.record({ answer: fc.constantFrom(...MAILBOX_ANSWERS), confidence: probability }),
    role: fc.constant("department"),
    isFree: fc.boolean(),
    isPrivacyRelay: fc.boolean(),
    disposable: fc.constant("domain"),
  },
  { requiredKeys: ["address", "route"] },
) as fc.Arbitrary<Partial<Evidence>>;

/** What is said of the name. */
const opinions = fc.record(
  {
    nameOpinion: fc.record({ score: probability, traits: fc.constant([]) }),
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

const worlds = fc.tuple(plain, opinions).map(([said, opinion]) => {
  const without: Evidence = { email: "", ...said };
  return { without, with: { ...without, ...opinion } };
});

const ASKING = { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: false };
const presented = (evidence: Evidence) => {
  const { metadata, ...report } = reportOf(evidence, ASKING);
  return JSON.stringify({ ...report, metadata: { ...metadata, timestamp: 0 } });
};

test("whatever is said of the name, the verdict of the mail servers stands", () => {
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

test("an opinion moves score and confidence within limits", () => {
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

test("mailboxes that are named alike never lower the score", () => {
  const alike = fc.constantFrom(["anna.smith", "first.last"], ["asmith", "flast"], ["anna", "first"]);
  const counts = fc.record({
    count: fc.integer({ min: 3, max: 50 }),
    others: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(opinions, alike, counts, ({ naming: _, ...said }, [local, template], { count, others }) => {
      const evidence = { ...catchAll(local!), ...said };
      const naming = tally(template as Template, count, others);
      expect(fitOf(local!, naming)?.lift).toBeGreaterThanOrEqual(1);
      expect(scored({ ...evidence, naming })).toBeGreaterThanOrEqual(scored(evidence));
    }),
    { numRuns: 500 },
  );
});

test("with AI enhancement off nothing that was said of the name is to be seen in the result", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const off = presented({ ...world.with, ignoresName: true });
      expect(off).toBe(presented({ ...world.without, ignoresName: true }));
      expect(JSON.parse(off)).toMatchObject({ suggestion: null, ai_enhancement: { used: false } });
    }),
    { numRuns: 500 },
  );
});
