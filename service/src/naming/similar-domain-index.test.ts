import { expect, test } from "vitest";
import { createNeighbourhood } from "./similar-domain-index.ts";

test("domains one typo apart are neighbours, and others are not", () => {
  const neighbourhood = createNeighbourhood();
  for (const domain of ["acmecorp.com", "weber-und-soehne.de"]) neighbourhood.add(domain);
  for (const typo of [
    "acmecrop.com",
    "acmecorp.co",
    "acmecorpp.com",
    "acmecor.com",
    "acnecorp.com",
    "acmecorp.con",
  ]) {
    expect(neighbourhood.near(typo), typo).toEqual(["acmecorp.com"]);
  }
  expect(neighbourhood.near("weber-und-sohne.de")).toEqual(["weber-und-soehne.de"]);
  for (const other of ["acmecorp.com", "other.com", "acme.com", "", "x".repeat(300)]) {
    expect(neighbourhood.near(other), other).toEqual([]);
  }
});

test("of many similar domains only some are returned", () => {
  const alike = createNeighbourhood();
  for (const letter of "abcdefghijklmnopqrstuvwxyz")
    for (let place = 0; place <= 4; place++)
      alike.add(`${"shop".slice(0, place)}${letter}${"shop".slice(place)}.com`);
  expect(alike.near("shop.com").length).toBeGreaterThan(0);
  expect(alike.near("shop.com").length).toBeLessThan(50);
});
