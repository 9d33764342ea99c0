import { decide, type Evidence, fitOf, type MailboxFinding } from "@mailvet/engine";
import { expect, test } from "vitest";
import { listNamingOf } from "./list-naming.ts";

const found = (email: string, answer: MailboxFinding["answer"], more: Partial<Evidence> = {}): Evidence => {
  const [local = "", domain = ""] = email.split("@");
  return {
    email,
    address: {
      local,
      domain,
      normalized: email,
      unicodeDomain: domain,
      quoted: false,
      isIpLiteral: false,
    } as NonNullable<Evidence["address"]>,
    isFree: false,
    mailbox: { answer },
    decoy: { answer: "accepted", confidence: 0.98 },
    ...more,
  };
};
const catchAll = (email: string, more?: Partial<Evidence>) => found(email, "accepted", more);
const staff = ["anna.schmidt", "john.smith", "maria.garcia", "peter.jones", "laura.rossi"];
const listed = staff.map((local) => catchAll(`${local}@corp.test`));

const withNaming = (one: Evidence, list: readonly Evidence[]) => listNamingOf(() => list)(one, decide(one));

test("an address gets the naming of the others of its list, without itself", () => {
  const one = listed[0]!;
  const { listNaming } = withNaming(one, listed);
  expect(listNaming?.mailboxes).toBe(4);
  expect(fitOf("anna.schmidt", listNaming!)).toMatchObject({ leading: "first.last", agreeing: 4, of: 4 });
  expect(one.listNaming).toBeUndefined(); // others share this evidence

  const other = catchAll("xq7@corp.test");
  expect(withNaming(other, [...listed, other]).listNaming?.mailboxes).toBe(5 + 1 - 1);
});

test("too few others are not a pattern", () => {
  const few = listed.slice(0, 3);
  expect(withNaming(few[0]!, few)).toBe(few[0]);
  expect(withNaming(listed[0]!, listed.slice(0, 4)).listNaming?.mailboxes).toBe(3);
});

test("another spelling of a mailbox is not another example", () => {
  const twice = [...listed.slice(0, 3), catchAll("John.Smith+news@corp.test")];
  expect(withNaming(twice[0]!, twice)).toBe(twice[0]);
});

test("rejected or random mailboxes, roles and free mail are not examples", () => {
  const random = { nameScore: { score: 0.02, signals: [] } };
  const list = [
    ...listed.slice(0, 3),
    found("paul.miller@corp.test", "not_found", { decoy: { answer: "not_found", confidence: 0.98 } }),
    catchAll("qxzkvjw@corp.test", random),
    catchAll("info@corp.test", { role: "shared" as NonNullable<Evidence["role"]> }),
  ];
  expect(withNaming(list[0]!, list)).toBe(list[0]);

  const free = staff.map((local) => catchAll(`${local}@mail.test`, { isFree: true }));
  expect(withNaming(free[0]!, free)).toBe(free[0]);
});

test("only unproven mailboxes get the naming of the list", () => {
  const proven = catchAll("kim.lee@corp.test", { decoy: { answer: "not_found", confidence: 0.98 } });
  expect(withNaming(proven, [...listed, proven])).toBe(proven);
  const grey = found("kim.lee@corp.test", "greylisted");
  expect(withNaming(grey, [...listed, grey]).listNaming?.mailboxes).toBe(5);
});

test("a domain is counted once for all its addresses", () => {
  let looked = 0;
  const naming = listNamingOf(() => {
    looked += 1;
    return listed;
  });
  for (const one of listed) naming(one, decide(one));
  expect(looked).toBe(1);
});
