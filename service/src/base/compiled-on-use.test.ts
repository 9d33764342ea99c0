import { expect, test } from "vitest";
import { compiledOnUse } from "./compiled-on-use.ts";

test("a schema is compiled when it is first used, once for all who have it", () => {
  const compiled: string[] = [];
  const lengthOf = compiledOnUse(({ name }: { name: string }) => {
    compiled.push(name);
    return name.length;
  });
  const shared = { name: "shared" };
  const [one, other, unused] = [lengthOf(shared), lengthOf(shared), lengthOf({ name: "unused" })];
  expect(compiled).toEqual([]);
  expect([one(), other(), one()]).toEqual([6, 6, 6]);
  expect(compiled).toEqual(["shared"]);
  expect(unused()).toBe(6);
});
