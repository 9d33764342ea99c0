import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { takeDirectoryLock } from "./directory-lock.ts";
import { startTimeOf } from "./process-identity.ts";

const folder = mkdtempSync(join(tmpdir(), "embedded-pg-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a second service is refused with the holder's pid, and gets the directory when the first has ended", () => {
  const path = join(folder, "service.lock");
  const first = takeDirectoryLock(path);
  expect(() => takeDirectoryLock(path)).toThrow(
    `Another process (${process.pid}) is using the data directory ${folder}`,
  );
  expect(() => takeDirectoryLock(path)).toThrow("Another process"); // a refused attempt leaves no trace
  first.release();
  takeDirectoryLock(path).release();
});

test("a holder whose pid now belongs to another process holds nothing", () => {
  const path = join(folder, "reused.lock");
  writeFileSync(path, `+ ${process.pid} 12345@anotherboot some-nonce\n`);
  takeDirectoryLock(path).release();
});

test("a line truncated by a full disk or a crash is ignored", () => {
  const path = join(folder, "torn.lock");
  writeFileSync(path, `\0\0\0+ ${process.pid} ${startTimeOf(process.pid)}`);
  const lock = takeDirectoryLock(path);
  expect(() => takeDirectoryLock(path)).toThrow("Another process");
  lock.release();
});

test("a link planted in place of the lock is not followed", () => {
  const path = join(folder, "planted.lock");
  const victim = join(folder, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, path);
  expect(() => takeDirectoryLock(path)).toThrow("ELOOP");
  expect(readFileSync(victim, "utf8")).toBe("precious");
});

test("after very many starts the list is started over", () => {
  const path = join(folder, "long.lock");
  writeFileSync(path, departed(1000));
  const lock = takeDirectoryLock(path);
  expect(statSync(path).size).toBeLessThan(200);
  expect(() => takeDirectoryLock(path)).toThrow("Another process");
  lock.release();
  takeDirectoryLock(path).release();
});

/** Waits for the same instant in every process, takes the lock of that round, and holds it until all have tried. */
const CONTENDER = `
  import { takeDirectoryLock } from ${JSON.stringify(fileURLToPath(new URL("./directory-lock.ts", import.meta.url)))};
  const [folder, rounds] = process.argv.slice(1);
  process.stdout.write("here\\n");
  process.stdin.once("data", (start) => {
    const wins = [];
    for (let round = 0; round < Number(rounds); round++) {
      const begin = Number(start) + round * 40;
      while (Date.now() < begin);
      try {
        takeDirectoryLock(folder + "/race-" + round + ".lock");
        wins.push(round);
      } catch {}
    }
    process.stdout.write(JSON.stringify(wins) + "\\n");
  });
`;

test("of services that start at the same instant exactly one wins, whatever ended processes left behind", async () => {
  const rounds = 20;
  // A third of the locks are new, a third name processes that have ended, a third are due to be started over.
  const dead = `+ 4194999 1@x nonce-of-the-dead\n`;
  for (let round = 0; round < rounds; round++) {
    const left = [undefined, dead, departed(1000)][round % 3];
    if (left !== undefined) writeFileSync(join(folder, `race-${round}.lock`), left);
  }
  const contenders = Array.from({ length: 3 }, () =>
    spawn(
      process.execPath,
      [
        "--import",
        import.meta.resolve("tsx"),
        "--input-type=module",
        "-e",
        CONTENDER,
        folder,
        String(rounds),
      ],
      { stdio: ["pipe", "pipe", "inherit"] },
    ),
  );
  try {
    await Promise.all(contenders.map((one) => once(one.stdout, "data")));
    for (const one of contenders) one.stdin.write(String(Date.now() + 50));
    const answers = await Promise.all(contenders.map((one) => once(one.stdout, "data")));
    const wins = answers.flatMap((answer) => JSON.parse(String(answer)) as number[]);
    expect(wins.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round));
  } finally {
    for (const one of contenders) one.kill("SIGKILL");
  }
});

function departed(services: number): string {
  return Array.from(
    { length: services },
    (_, n) => `+ ${process.pid} ${n}@x nonce-${n}\n- nonce-${n}\n`,
  ).join("");
}
