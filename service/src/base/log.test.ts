import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../../engine/test/growth.ts";
import { createLog, maskAddresses } from "./log.ts";

function listen(addresses: "masked" | "full") {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    addresses,
    destination: { write: (line: string) => lines.push(line) },
  });
  return { log, lines };
}

test("an address keeps its first character and its domain", () => {
  expect(maskAddresses("ann@example.com")).toBe("a***@example.com");
  expect(maskAddresses("Key (email)=(ann.lee+x@example.com) already exists, bob@b.example")).toBe(
    "Key (email)=(a***@example.com) already exists, b***@b.example",
  );
  expect(maskAddresses("postgres://localhost, no address here")).toBe(
    "postgres://localhost, no address here",
  );
});

test.for([
  "o'brien",
  "prvs=1234abcd=ann",
  "bounce+ann=example.org",
  "x!#$%&'*+-/=?^_`{|}~.y",
  "\u{1f600}änn",
  "a".repeat(300),
])("a local part is hidden whole: %s", (local) => {
  const [first] = local;
  for (const [before, after] of ["<>", "()", "  ", ":;"]) {
    const text = `to ${before}${local}@example.com${after}`;
    expect(maskAddresses(text)).toBe(`to ${before}${first}***@example.com${after}`);
  }
});

test("a local part in quotes is hidden as well, also within JSON", () => {
  expect(maskAddresses('to "ann smith"@example.com now')).toBe('to "a***"@example.com now');
  const json = JSON.stringify({ email: '"ann smith"@example.com' });
  expect(maskAddresses(json)).not.toMatch(/nn|smith/);
  expect(JSON.parse(maskAddresses(json))).toEqual({ email: '"a***"@example.com' });
});

test.for(["a", "'=", '"', '\\"'])(
  "masking a long text without an address takes linear time: %s",
  async (piece) => {
    const sizes = { from: piece.repeat(50_000), to: piece.repeat(200_000) };
    expect(await growth(maskAddresses, sizes)).toBeLessThan(LINEAR_AT_FOURFOLD);
  },
);

test("an error is logged with its stack and without the address in it", () => {
  const { log, lines } = listen("masked");
  log.write.error({ err: new Error("no such account: ann@example.com") }, "failed");
  const line = JSON.parse(lines[0] ?? "");
  expect(line.err.message).toBe("no such account: a***@example.com");
  expect(line.err.stack).toContain("log.test.ts");
  expect(lines[0]).not.toContain("ann@");
});

test("a failed query is logged as its cause and its statement, without what was put into it", () => {
  const { log, lines } = listen("full");
  const cause = Object.assign(new Error("connection lost"), { code: "08006" });
  const failed = new DrizzleQueryError(
    "insert into accounts values ($1)",
    ["ann@example.com", "a-hash"],
    cause,
  );
  log.write.error({ err: failed }, "failed");
  log.write.error({ err: new Error("no account was made", { cause: failed }) }, "failed");
  const [first, second] = lines.map((line) => JSON.parse(line).err);
  expect(first).toMatchObject({
    type: "Error",
    message: "connection lost",
    code: "08006",
    statement: "insert into accounts values ($1)",
  });
  expect(first.stack).toContain("log.test.ts");
  expect(second.message).toBe("no account was made: connection lost");
  expect(lines.join("")).not.toMatch(/ann@|a-hash/);
});

test("an operator who wants full addresses gets them", () => {
  const { log, lines } = listen("full");
  log.write.info({ address: log.masked("ann@example.com") }, "checked");
  expect(lines[0]).toContain("ann@example.com");
});

test("a line is at most 8 kB long, whatever is put into it, and stays JSON", () => {
  const { log, lines } = listen("full");
  const error = new Error("x".repeat(100_000));
  log.write.error({ err: error, request_id: "the-id", list: Array(5_000).fill("entry") }, "y".repeat(20_000));
  log.write.error(Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`field${n}`, n])), "wide");
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(8192);
  const [long, wide] = lines.map((line) => JSON.parse(line));
  expect(long).toMatchObject({ level: "error", request_id: "the-id" });
  expect(long.err.message).toMatch(/^x+… \(100000 characters\)$/);
  expect(wide).toMatchObject({ msg: "a log line was too long" });
});
