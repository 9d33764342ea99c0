import { expect, test } from "vitest";
import { emptyTally, fitOf, TEMPLATES, type Template, tallyOf, withMailbox } from "./naming-pattern.ts";

const readAlone = (local: string): Template | undefined => {
  const { mailboxes, shares } = withMailbox(emptyTally(), local);
  return mailboxes === 0 ? undefined : TEMPLATES[shares.indexOf(Math.max(...shares))];
};

test.each<[local: string, template: Template]>([
  ["john.smith", "first.last"],
  ["John.Smith2", "first.last"],
  ["josé.garcía+news", "first.last"],
  ["jean-pierre.martin", "first.last"],
  ["john.q.public", "first.last"],
  ["mthunzi.nkosi", "first.last"],
  ["smith.john", "last.first"],
  ["j.smith", "f.last"],
  ["jsmith", "flast"],
  ["jkowalczyk", "flast"],
  ["smithj", "lastf"],
  ["john", "first"],
  ["nguyen", "last"],
  ["johnsmith", "firstlast"],
  ["mary_jones", "first_last"],
  ["mary-jones", "first-last"],
  ["xkqzvw", "other"],
  ["u123456", "other"],
  ["jq", "other"],
])("%s reads as %s", (local, template) => expect(readAlone(local)).toBe(template));

test("roles and unsupported scripts are no evidence of a pattern", () => {
  for (const local of ["info", "sales2", "no-reply", "иван", "", "..."])
    expect(readAlone(local)).toBeUndefined();
});

test("ambiguous names are interpreted like the other mailboxes", () => {
  const among = (locals: string[]) => fitOf("martin", tallyOf(locals))?.template;
  expect(among(["mary", "john", "sandra", "paul", "martin"])).toBe("first");
  expect(among(["jones", "kowalczyk", "nguyen", "garcia", "martin"])).toBe("last");
});

test("a mailbox that follows the pattern fits better than one that does not", () => {
  const tally = tallyOf(["ann.jones", "wei.zhang", "maria.rossi", "tom.baker", "olga.petrova", "rkumar"]);
  const fits = fitOf("john.smith", tally);
  expect(fits).toMatchObject({ template: "first.last", leading: "first.last", agreeing: 5, of: 6 });
  expect(fits?.lift).toBeGreaterThan(1.5);
  const foreign = fitOf("johns", tally);
  expect(foreign).toMatchObject({ leading: "first.last", agreeing: 5, of: 6 });
  expect(foreign?.lift).toBeLessThan(0.5);
});

test("random letters gain nothing where mailboxes follow no template", () => {
  const tally = tallyOf(["x7kq2", "b93zt", "qqr81", "u5521x", "zk77q"]);
  expect(tally.shares[TEMPLATES.indexOf("other")]).toBeGreaterThan(4.9);
  expect(fitOf("vbx92q", tally)?.lift).toBe(1);
});

test("fewer than three mailboxes are too few", () => {
  expect(fitOf("john.smith", tallyOf(["ann.jones", "tom.baker"]))).toBeUndefined();
});

test("adding mailboxes one by one gives nearly the same tally as all at once", () => {
  const locals = ["asmith", "bjones", "cgarcia", "dnguyen", "esteves"];
  const one = locals.reduce((tally, local) => withMailbox(tally, local), emptyTally());
  const all = tallyOf(locals);
  expect(one.mailboxes).toBe(all.mailboxes);
  expect(one.shares.reduce((a, b) => a + b)).toBeCloseTo(5);
  expect(one.shares.indexOf(Math.max(...one.shares))).toBe(TEMPLATES.indexOf("flast"));
  expect(Math.abs(one.shares[1]! - all.shares[1]!)).toBeLessThan(1);
});

test("a tally uses at most two hundred names of sixty-four characters each", () => {
  function* endless() {
    for (let i = 0; ; i++) yield `${"john.smith".repeat(i % 2 === 0 ? 1 : 1000)}`;
  }
  expect(tallyOf(endless()).mailboxes).toBe(200);
});
