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
const house = staff.map((local) => catchAll(`${local}@house.test`));

const told = (one: Evidence, list: readonly Evidence[]) => listNamingOf(() => list)(one, decide(one));

test("an address is told how the others of its list are named, and is not counted itself", () => {
  const one = house[0]!;
  const { listNaming } = told(one, house);
  expect(listNaming?.mailboxes).toBe(4);
  expect(fitOf("anna.schmidt", listNaming!)).toMatchObject({ leading: "first.last", agreeing: 4, of: 4 });
  expect(one.listNaming).toBeUndefined(); // others share this evidence

  const stranger = catchAll("xq7@house.test");
  expect(told(stranger, [...house, stranger]).listNaming?.mailboxes).toBe(5 + 1 - 1);
});

test("too few others are no habit", () => {
  const few = house.slice(0, 3);
  expect(told(few[0]!, few)).toBe(few[0]);
  expect(told(house[0]!, house.slice(0, 4)).listNaming?.mailboxes).toBe(3);
});

test("another spelling of a mailbox is no further example", () => {
  const twice = [...house.slice(0, 3), catchAll("John.Smith+news@house.test")];
  expect(told(twice[0]!, twice)).toBe(twice[0]);
});

test("mailboxes that were refused or look random, roles and free mail set no example", () => {
  const random = { nameScore: { score: 0.02, signals: [] } };
  const list = [
    ...house.slice(0, 3),
    found("paul.miller@house.test", "not_found", { decoy: { answer: "not_found", confidence: 0.98 } }),
    catchAll("qxzkvjw@house.test", random),
    catchAll("info@house.test", { role: "shared" as NonNullable<Evidence["role"]> }),
  ];
  expect(told(list[0]!, list)).toBe(list[0]);

  const free = staff.map((local) => catchAll(`${local}@mail.test`, { isFree: true }));
  expect(told(free[0]!, free)).toBe(free[0]);
});

test("only what the mail servers left open is told anything", () => {
  const proven = catchAll("kim.lee@house.test", { decoy: { answer: "not_found", confidence: 0.98 } });
  expect(told(proven, [...house, proven])).toBe(proven);
  const grey = found("kim.lee@house.test", "greylisted");
  expect(told(grey, [...house, grey]).listNaming?.mailboxes).toBe(5);
});

test("a domain is counted once, however many of its addresses ask", () => {
  let looked = 0;
  const naming = listNamingOf(() => {
    looked += 1;
    return house;
  });
  for (const one of house) naming(one, decide(one));
  expect(looked).toBe(1);
});
