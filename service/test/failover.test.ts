/** The service on a replicated PostgreSQL behind PgBouncer: transaction mode, reads from the replica, promotion. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { openLab } from "@mailvet/lab";
import pg from "pg";
import { expect, test } from "vitest";
import { CHAOS_WORLD, csvOf, listOf, rightStatus } from "../chaos/list.ts";
import { openProgramInstallation } from "./program.ts";
import { hasPgBouncer, openReplicatedPostgres } from "./replicated-postgres.ts";

const KEY = `the operator chose ${randomUUID()}`;
const CREDITS = 100_000;
const EMAILS = 600;

test.runIf(hasPgBouncer)(
  "a promotion of the replica while a job runs loses nothing acknowledged, and the service continues by itself",
  async () => {
    await using installation = openProgramInstallation();
    await using cluster = await openReplicatedPostgres(installation.folder);
    await using lab = await openLab(CHAOS_WORLD);
    const env = {
      ...cluster.env,
      BOOTSTRAP_API_KEY: KEY,
      ADMIN_CREDITS: String(CREDITS),
      ...lab.env,
      LOG_LEVEL: "error",
    };
    const api = await installation.start({ ...env, ROLE: "api" });
    const worker = await installation.start({ ...env, ROLE: "worker" });
    expect(api.url, api.output()).not.toBe("");
    const insist = async (path: string, request: RequestInit = {}) => {
      for (;;) {
        const response = await fetch(`${api.url}/api/v1${path}`, {
          ...request,
          headers: { "x-api-key": KEY, ...request.headers },
        }).catch(() => undefined);
        if (response?.ok) return response;
        if (response && response.status < 500 && response.status !== 409) {
          throw new Error(`${path}: ${response.status} ${await response.text()}`);
        }
        await pause(100); // timing: between two tries
      }
    };
    const post = (path: string, body: object, key: string) =>
      insist(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", "idempotency-key": key },
      });

    const rows = listOf(EMAILS, "failover");
    const form = new FormData();
    form.set("file", new Blob([csvOf(rows)], { type: "text/csv" }), "list.csv");
    const preview = await (await insist("/bulk/upload/preview", { method: "POST", body: form })).json();
    const confirmation = { upload_id: preview.upload_id, email_column: preview.suggested_email_column };
    const { id } = await (await post("/bulk/upload/confirm", confirmation, "confirm")).json();

    let isOver = false;
    let singles = 0;
    const client = (async () => {
      while (!isOver) {
        await post("/validation/single", { email: `valid+${singles}@mailvet.test` }, `single-${singles}`);
        singles++;
      }
    })();
    const job = async () => (await insist(`/bulk/jobs/${id}`)).json();
    const reaches = async (processed: number) => {
      while ((await job()).processed < processed) await pause(20); // timing: poll interval
    };
    await reaches(1);
    const before = singles;
    await cluster.failOver();
    await cluster.killPgBouncer();
    while (singles < before + 20) await pause(20); // timing: poll interval
    isOver = true;
    await client;
    let ended = await job();
    for (; ended.status !== "completed"; ended = await job()) {
      expect(["queued", "processing"]).toContain(ended.status);
      await pause(50); // timing: poll interval
    }

    const download = await (await insist(`/bulk/jobs/${id}/download?format=ndjson`)).text();
    const results = download
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results).toHaveLength(rows.length);
    const wrong = results.filter((result) => {
      const found = `${result.status}/${result.sub_status}`;
      return found !== rightStatus(lab, result.email.toLowerCase());
    });
    expect(wrong).toEqual([]);
    const credits = await (await insist("/credits")).json();
    expect(credits).toMatchObject({ balance: CREDITS - ended.credits_used - singles, reserved: 0 });
    expect(worker.child.exitCode).toBeNull();
    expect(api.child.exitCode).toBeNull();

    const database = new pg.Client(cluster.connection);
    await database.connect();
    const { rows: kept } = await database.query("select count(*)::int as count from results");
    await database.end();
    expect(kept).toEqual([{ count: EMAILS }]);
  },
);
