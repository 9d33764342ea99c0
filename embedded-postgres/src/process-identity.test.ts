import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { isRunning, startTimeOf, worksIn } from "./process-identity.ts";

test("a running process has one start time, different from that of another process", async () => {
  expect(startTimeOf(process.pid)).toBeDefined();
  expect(startTimeOf(process.pid)).toBe(startTimeOf(process.pid));
  const other = spawn("sleep", ["3600"]);
  onTestFinished(() => void other.kill());
  await once(other, "spawn");
  expect(startTimeOf(other.pid!)).not.toBe(startTimeOf(process.pid));
});

test("a process that has ended is not running, even while it is a zombie", async () => {
  // The shell becomes a sleep, which never waits for the child it inherits.
  const parent = spawn("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 3600"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill());
  const exited = once(parent, "exit");
  const [line] = await once(parent.stdout, "data");
  const zombie = Number(line);
  await expect.poll(() => startTimeOf(zombie)).toBeUndefined();
  expect(() => process.kill(zombie, 0)).not.toThrow(); // the kernel still lists it as a process
  parent.kill();
  await exited;
  expect(isRunning(parent.pid!)).toBe(false);
});

test("a process is recognised by its working directory", async () => {
  const child = spawn("sleep", ["3600"], { cwd: "/" });
  onTestFinished(() => void child.kill());
  await once(child, "spawn");
  await expect.poll(() => worksIn(child.pid!, "/")).toBe(true);
  expect(worksIn(child.pid!, tmpdir())).toBe(false);
});
