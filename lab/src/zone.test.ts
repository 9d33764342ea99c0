import { expect, test } from "vitest";
import { createZone } from "./zone.ts";

const zone = createZone({
  "shop.test": { MX: [{ preference: 10, exchange: "mx.shop.test" }], SOA: { minimum: 120 }, ttl: 77 },
  "mx.shop.test": { A: ["192.0.2.1"] },
  "www.shop.test": { CNAME: "mx.shop.test" },
  "gone.shop.test": { CNAME: "nowhere.test" },
  "round.test": { CNAME: "about.test" },
  "about.test": { CNAME: "round.test" },
  "*.wild.test": { A: ["192.0.2.9"] },
  "tame.wild.test": { TXT: ["own"] },
  "a.b.deep.test": { A: ["192.0.2.2"] },
});

test("a lookup returns the records of a name with their TTL", () => {
  expect(zone.lookUp("Shop.TEST.", "MX")).toEqual({
    rcode: 0,
    answers: [{ name: "shop.test", type: "MX", ttl: 77, data: { preference: 10, exchange: "mx.shop.test" } }],
    authorities: [],
  });
});

test("a name without records of the type, or with only names below it, is NODATA", () => {
  const empty = { rcode: 0, answers: [] };
  expect(zone.lookUp("mx.shop.test", "AAAA")).toMatchObject(empty);
  expect(zone.lookUp("b.deep.test", "A")).toMatchObject(empty);
  expect(zone.lookUp("mx.shop.test", "AAAA").authorities).toMatchObject([
    { name: "shop.test", type: "SOA", data: { minimum: 120 } },
  ]);
});

test("a name outside the world is NXDOMAIN, with the SOA of its top-level domain", () => {
  expect(zone.lookUp("nobody.test", "MX")).toMatchObject({
    rcode: 3,
    answers: [],
    authorities: [{ name: "test", type: "SOA", data: { minimum: 60 } }],
  });
});

test("aliases are followed to their target, to a missing one, and in a loop up to a limit", () => {
  expect(zone.lookUp("www.shop.test", "A").answers).toMatchObject([{ type: "CNAME" }, { data: "192.0.2.1" }]);
  expect(zone.lookUp("gone.shop.test", "A")).toMatchObject({ rcode: 3, answers: [{ type: "CNAME" }] });
  expect(zone.lookUp("round.test", "A").answers).toHaveLength(9);
});

test("a wildcard matches every name below it except existing ones", () => {
  expect(zone.lookUp("any.wild.test", "A").answers).toMatchObject([
    { name: "any.wild.test", data: "192.0.2.9" },
  ]);
  expect(zone.lookUp("x.y.wild.test", "A").answers).toHaveLength(1);
  expect(zone.lookUp("tame.wild.test", "A")).toMatchObject({ rcode: 0, answers: [] });
  expect(zone.lookUp("x.tame.wild.test", "A")).toMatchObject({ rcode: 3 });
});
