import { expect, test } from "vitest";
import { createInspection } from "./offline-inspection.ts";
import { loadDisposables } from "./reference/disposable.ts";
import { decide } from "./verdict.ts";

const inspect = createInspection({ disposables: loadDisposables() });

test.for([
  ["Ann Lee <ann@shop.io>", "ann@shop.io"],
  ["mailto:ann@shop.io", "ann@shop.io"],
  ["ann@shop.io.", "ann@shop.io"],
  ["ann@shop..io", "ann@shop.io"],
  ["ann@gmailcom", "ann@gmail.com"],
  ["ann@gmail", "ann@gmail.com"],
  ["ann@gmial.com", "ann@gmail.com"],
  ["ann@firm.con", "ann@firm.com"],
] as const)("%s: the intended address is %s", ([typed, meant]) => {
  expect(inspect(typed).suggestion?.email).toBe(meant);
});

test.for(["ann@gmail.com", "ann@shop.io", "ann", "ann@@shop.io", "<>", "Ann <ann>", "ann@[192.0.2.1]"])(
  "nothing is suggested for %s",
  (typed) => {
    expect(inspect(typed).suggestion).toBeUndefined();
  },
);

test("an IP literal is well-formed but not a public address", () => {
  expect(decide(inspect("ann@[192.0.2.1]"))).toMatchObject({
    status: "invalid",
    subStatus: "reserved_domain",
  });
});

test("the reference lists describe domain and local part", () => {
  expect(inspect("ann@mailinator.com")).toMatchObject({ disposable: "domain", isFree: false });
  expect(inspect("a.n.n+shop@googlemail.com")).toMatchObject({
    canonical: "ann@gmail.com",
    isSubaddressed: true,
    isFree: true,
  });
  expect(inspect("info@shop.io")).toMatchObject({ role: "department" });
  expect(inspect("x@mozmail.com")).toMatchObject({ isPrivacyRelay: true });
  for (const domain of ["agentmail.to", "acme.nylas.email"])
    expect(inspect(`x@${domain}`)).toMatchObject({ isAgentMailbox: true, isFree: false });
  expect(decide(inspect("ann@gmail.com"))).toMatchObject({ subStatus: "provider_syntax" }); // three letters
});

test("a cached domain gives the same evidence", () => {
  for (const email of ["ann@shop.io", "ann@mailinator.com", "ann@gmial.com"]) {
    expect(inspect(email)).toEqual(inspect(email));
  }
});

test("the local part is scored only where it may matter: not for roles, relays, agents, disposable domains or settled verdicts", () => {
  const read: string[] = [];
  const judge = (local: string) => {
    read.push(local);
    return { score: 0.9, signals: [] };
  };
  const inspectNames = createInspection({
    disposables: loadDisposables(),
    nameModel: { method: "test", judge },
  });
  expect(inspectNames("Anna.Lee+shop@firm.io").nameScore).toEqual({ score: 0.9, signals: [] });
  for (const email of [
    "info@firm.io",
    "anna.lee@mozmail.com",
    "kx7bq2vz9wm@private.icloud.com",
    "kx7bq2vz9wm@agentmail.to",
    "anna.lee@mailinator.com",
    "anna.lee@firm.test",
    "ann@gmail.com",
    '"anna lee"@firm.io',
    "anna.lee",
  ]) {
    expect(inspectNames(email).nameScore).toBeUndefined();
  }
  expect(read).toEqual(["Anna.Lee+shop"]);
  expect(inspect("anna.lee@firm.io")).toMatchObject({ ignoresName: true }); // without a model
});
