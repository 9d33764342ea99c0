/** Other ways in than one file: JSON, a link, several files, several email columns. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JobResult } from "@mailvet/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
import { mayHaveEventsSql } from "../src/jobs/retention.ts";
import { createDeliveryLog } from "../src/webhooks/delivery-log.ts";
import { openClaims } from "./claims.ts";
import { asJob, type Lists, listsOf } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { expectProblem } from "./problems.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
let lists: Lists;
const servers: Server[] = [];
beforeAll(async () => {
  service = await openService({ env: { MAX_CSV_EMAILS: "20", MAX_UPLOAD_MB: "1" } });
  ann = await service.openAccount({ credits: 1000 });
  lists = listsOf(service, ann);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  for (const server of servers) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const emails = (count: number, name = "u") =>
  Array.from({ length: count }, (_, n) => `valid+${name}${n}@mailvet.test`);

describe("POST /bulk/jobs", () => {
  const create = (body: unknown, headers: Record<string, string> = {}) =>
    lists.ask("/bulk/jobs", { body, headers });

  test("a list of emails starts a job, with a name and metadata", async () => {
    const { status, body } = await create({
      emails: [" Ann <valid@mailvet.test>", "VALID@mailvet.test", "no address", '"quoted, "" \n'],
      name: "Sign-ups",
      metadata: { campaign: "spring" },
    });
    expect(status).toBe(201);
    const job = asJob(body);
    expect(job).toMatchObject({
      status: "queued",
      filename: "Sign-ups",
      email_column: "email",
      total_rows: 4,
      unique_emails: 3,
      duplicate_count: 1,
      metadata: { campaign: "spring" },
    });
    expect(await lists.ended(job.id)).toMatchObject({
      status: "completed",
      valid_count: 1,
      invalid_count: 2,
    });
    const [header, first, , , last] = await lists.download(job.id);
    expect(header!.slice(0, 2)).toEqual(["email", "mailvet_status"]);
    expect(first!.slice(0, 2)).toEqual([" Ann <valid@mailvet.test>", "valid"]);
    expect(last![0]).toBe('"quoted, "" \n');
  });

  test("an email with a NUL or a lone surrogate is checked as it is, not as what is left without it", async () => {
    const odd = ["valid+a\0@mailvet.test", "valid+b\ud800@mailvet.test"];
    const { id } = asJob((await create({ emails: [...odd, ...emails(1, "plain")] })).body);
    expect(await lists.ended(id)).toMatchObject({ valid_count: 1, invalid_count: 2 });
    expect((await lists.download(id)).map(([email, status]) => [email, status]).slice(1)).toEqual([
      ["valid+a\u{fffd}@mailvet.test", "invalid"],
      ["valid+b\u{fffd}@mailvet.test", "invalid"],
      ["valid+plain0@mailvet.test", "valid"],
    ]);
  });

  test("rows keep their columns, whatever they contain", async () => {
    const rows = [
      { id: 7, mail: "valid@mailvet.test", note: "=1+1; +49", ok: true },
      { id: "008", mail: "role-based@mailvet.test", extra: null },
    ];
    const { body } = await create({ rows, level: "syntax" });
    expect(body).toMatchObject({ email_column: "mail", level: "syntax", filename: "list.json" });
    await lists.ended(body.id);
    const { text } = await lists.ask(`/bulk/jobs/${body.id}/download?format=ndjson`);
    const [first, second] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first.columns).toEqual({
      id: "7",
      mail: "valid@mailvet.test",
      note: "=1+1; +49",
      ok: "true",
      extra: "",
    });
    expect(second.columns).toMatchObject({ id: "008", ok: "", extra: "" });
  });

  test("numbers of rows are kept as they were sent", async () => {
    const response = await fetch(`${service.url}/api/v1/bulk/jobs`, {
      method: "POST",
      headers: { "x-api-key": ann.key, "content-type": "application/json" },
      body: '{"rows":[{"id":1234567890123456789,"rate":1.50,"mail":"valid@mailvet.test"}],"level":"syntax"}',
    });
    const { id } = asJob(await response.json());
    await lists.ended(id);
    const { text } = await lists.ask(`/bulk/jobs/${id}/download?format=ndjson`);
    expect(JSON.parse(text).columns).toMatchObject({ id: "1234567890123456789", rate: "1.50" });
  });

  test("its events go to webhook_url, signed with the secret of the response", async () => {
    const received: { body: string; headers: Record<string, string> }[] = [];
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push({ body, headers: request.headers as Record<string, string> });
      response.end();
    });
    const { body: job } = await create({ emails: emails(1), webhook_url: url, metadata: { a: "b" } });
    expect(job.webhook_secret).toMatch(/^whsec_/);
    await create({ emails: emails(1, "other") }).then(({ body }) => lists.ended(body.id));
    await lists.ended(job.id);
    await expect.poll(() => received.length).toBe(1);
    const { body, headers } = received[0]!;
    expect(new Webhook(job.webhook_secret).verify(body, headers)).toMatchObject({
      type: "job.completed",
      data: { job: { id: job.id, metadata: { a: "b" } } },
    });
    expect((await lists.ask(`/bulk/jobs/${job.id}`)).body).not.toHaveProperty("webhook_secret");
    expect((await lists.ask("/webhooks")).body).toEqual([]);

    // Also those of a recheck after months, for as long as there is something to check again.
    const { database } = service;
    const { tasks } = openClaims(database);
    const log = createDeliveryLog({ database, tasks, mayHaveEventsSql });
    const age = "update webhook_endpoints set created_at = now() - interval '100 days' where job_id = $1";
    await database.pool.query(age, [job.id]);
    await log.eraseOld();
    await lists.ask(`/bulk/jobs/${job.id}/recheck`, { body: { which: "all" } });
    await lists.ended(job.id);
    await expect.poll(() => received.length).toBe(2);
    expect((await lists.ask(`/bulk/jobs/${job.id}`, { method: "DELETE" })).status).toBe(204);
    await vi.waitFor(async () => {
      await log.eraseOld(); // once the last delivery is settled
      const left = await database.pool.query("select from webhook_endpoints where job_id = $1", [job.id]);
      expect(left.rowCount).toBe(0);
    }, PATIENCE);
  });

  test("the same key starts one job", async () => {
    const headers = { "idempotency-key": "json-1" };
    const first = await create({ emails: emails(2), name: "once" }, headers);
    const again = await create({ emails: emails(2), name: "once" }, headers);
    expect([again.body.id, again.headers.get("idempotency-replayed")]).toEqual([first.body.id, "true"]);
    await expectProblem(
      service,
      await create({ emails: emails(2), name: "other" }, headers),
      "idempotency_key_reused",
    );
    await lists.ended(first.body.id);
  });

  const WRONG: readonly (readonly [what: string, body: unknown, code: never, pointer: string | undefined])[] =
    [
      ["no list", { name: "x" }, "validation_failed" as never, ""],
      ["both lists", { emails: ["a@b.cd"], rows: [{ a: "a@b.cd" }] }, "validation_failed" as never, ""],
      ["an email that is no string", { emails: ["a@b.cd", 5] }, "validation_failed" as never, "/emails/1"],
      ["emails that are no array", { emails: "a@b.cd" }, "validation_failed" as never, "/emails"],
      ["a nested row", { rows: [{ "a/b": { c: 1 } }] }, "validation_failed" as never, "/rows/0/a~1b"],
      ["a row that is no object", { rows: [{ a: 1 }, "a@b.cd"] }, "validation_failed" as never, "/rows/1"],
      ["an unknown property", { emails: ["a@b.cd"], surprise: 1 }, "validation_failed" as never, "/surprise"],
      ["a wrong level", { emails: ["a@b.cd"], level: "deep" }, "validation_failed" as never, "/level"],
      [
        "a deep value",
        { emails: ["a@b.cd"], metadata: { a: [[[[[1]]]]] } },
        "validation_failed" as never,
        "/metadata",
      ],
      ["an array", ["a@b.cd"], "validation_failed" as never, ""],
      ["an empty list", { emails: [] }, "empty_file" as never, "/emails"],
      ["rows without cells", { rows: [{}] }, "empty_file" as never, "/rows"],
      ["no email", { emails: ["x", "y"] }, "no_emails_found" as never, undefined],
      ["too many", { emails: emails(21) }, "too_many_emails" as never, "/emails"],
      [
        "a column that is named twice",
        { rows: [{ a: "a@b.cd" }], email_column: "a", more_email_columns: ["a"] },
        "validation_failed" as never,
        "/more_email_columns/0",
      ],
      [
        "an unknown column",
        { rows: [{ a: "a@b.cd" }], email_column: "b" },
        "email_column_not_found" as never,
        "/email_column",
      ],
      [
        "a forbidden webhook",
        { emails: ["a@b.cd"], webhook_url: "ftp://x" },
        "webhook_url_rejected" as never,
        "/webhook_url",
      ],
    ];
  test.each(WRONG)("%s is refused, and nothing is stored", async (_, body, code, pointer) => {
    const count = async () =>
      (await service.database.pool.query("select from uploads where account_id = $1", [ann.accountId]))
        .rowCount;
    const before = await count();
    const answer = await create(body);
    await expectProblem(service, answer, code);
    if (pointer !== undefined) expect(answer.body.errors[0].pointer).toBe(pointer);
    if (code === "validation_failed") expect(answer.body.detail).toContain(pointer);
    expect(answer.body.detail).toMatch(/^[A-Z/].*\.$/);
    expect(await count()).toBe(before);
  });

  test.each(['{"emails":["a@b.cd"', '{"emails":["a@b.cd"]}x', "", '{"emails":["\\ud800'])(
    "malformed JSON is refused: %s",
    async (text) => {
      const response = await fetch(`${service.url}/api/v1/bulk/jobs`, {
        method: "POST",
        headers: { "x-api-key": ann.key, "content-type": "application/json" },
        body: text,
      });
      expect([response.status, (await response.json()).code]).toEqual([400, "malformed_request"]);
    },
  );
});

describe("POST /bulk/upload/link", () => {
  const link = (url: string, more: object = {}) => lists.ask("/bulk/upload/link", { body: { url, ...more } });

  test("a workbook is downloaded, over redirects, and previewed", async () => {
    const file = await xlsxOf({
      sheets: { One: rowOf("valid@mailvet.test"), Two: rowOf("email") + rowOf("valid+2@mailvet.test") },
    });
    const url = await serve((request, response) => {
      if (request.url === "/start")
        response.writeHead(302, { location: "/files/list%20one.xlsx?x=1#top" }).end();
      else response.end(file);
    });
    expect((await link(`${url}/start`)).body).toMatchObject({
      filename: "list one.xlsx",
      sheet: "One",
      total_rows: 1,
    });
    const { body: preview } = await link(`${url}/start`, { sheet: "Two" });
    expect(preview).toMatchObject({ sheet: "Two", columns: ["email"] });
    const { id } = await lists.confirm(preview);
    expect(await lists.ended(id)).toMatchObject({ status: "completed", valid_count: 1 });
  });

  test("the name comes from the response if it has one", async () => {
    const url = await serve((_, response) => {
      response
        .setHeader("content-disposition", "attachment; filename*=UTF-8''M%C3%A4rz.csv")
        .end("valid@mailvet.test");
    });
    expect((await link(url)).body.filename).toBe("März.csv");
  });

  test("private addresses and other ports are refused, also behind a redirect", async () => {
    await using strict = await openService({ env: { EGRESS_ALLOW: "127.0.0.2" } });
    const bo = await strict.openAccount({ credits: 1 });
    const from = (url: string) => strict.ask("/bulk/upload/link", { key: bo.key, body: { url } });
    for (const url of [
      "http://127.0.0.1:1/x",
      "https://10.0.0.1/x",
      "https://169.254.169.254/latest",
      "file:///etc/passwd",
      "https://user:pw@127.0.0.2/",
    ]) {
      await expectProblem(strict, await from(url), "link_rejected");
    }
    const server = createServer((request, response) => {
      const location = request.url === "/port" ? "https://93.184.216.34:25/" : "http://127.0.0.1:1/secret";
      response.writeHead(302, { location }).end();
    }).listen(0, "127.0.0.2");
    servers.push(server);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await expectProblem(strict, await from(`http://127.0.0.2:${port}/`), "link_rejected");
    const toPort = await from(`http://127.0.0.2:${port}/port`);
    await expectProblem(strict, toPort, "link_rejected");
    expect(toPort.body.detail).toBe("Port 25 is not allowed, only 443.");
  });

  test("errors of the server, endless redirects and large files are refused", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/404") response.writeHead(404).end();
      else if (request.url === "/loop") response.writeHead(301, { location: "/loop" }).end();
      else if (request.url === "/cut")
        response.writeHead(200, { "content-length": "100" }).write("a@b.cd\n", () => response.destroy());
      else if (request.url === "/upgrade")
        response.socket!.write(
          "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        );
      else response.end(Buffer.alloc(1_100_000, "a@b.cd\n"));
    });
    const answers = {
      "/404": "link_failed",
      "/loop": "link_failed",
      "/cut": "link_failed",
      "/upgrade": "link_failed",
      "/large": "payload_too_large",
    } as const;
    for (const [path, code] of Object.entries(answers)) {
      await expectProblem(service, await link(url + path), code as never);
    }
  });
});

describe("a refused link", () => {
  const link = (body: object, key = ann.key) => service.ask("/bulk/upload/link", { key, body });

  test("the refusal of what was downloaded points to the link", async () => {
    const workbook = await xlsxOf({ sheets: { One: rowOf("valid@mailvet.test") } });
    const url = await serve((request, response) => {
      if (request.url === "/empty") response.end();
      else if (request.url === "/many") response.end(`email\n${emails(21).join("\n")}\n`);
      else response.end(workbook);
    });
    const pointerOf = async (body: object, code: never) => {
      const answer = await link(body);
      await expectProblem(service, answer, code);
      return answer.body.errors[0].pointer;
    };
    expect(await pointerOf({ url: `${url}/empty` }, "empty_file" as never)).toBe("/url");
    expect(await pointerOf({ url: `${url}/many` }, "too_many_emails" as never)).toBe("/url");
    expect(await pointerOf({ url, sheet: "Two" }, "sheet_not_found" as never)).toBe("/sheet");
  });

  test("the connection to the server is closed at once", async () => {
    const bo = await service.openAccount({ credits: 1 });
    await service.database.pool.query(
      `insert into uploads (id, account_id, filename, expires_at)
       select gen_random_uuid(), $1, 'x', now() + interval '1 hour' from generate_series(1, 20)`,
      [bo.accountId],
    );
    let isClosed = false;
    const url = await serve((_, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      response.write("valid@mailvet.test\n"); // and no end
    });
    await expectProblem(service, await link({ url }, bo.key), "too_many_uploads");
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe("a group", () => {
  const sendGroup = (files: Record<string, string | Buffer>, query = "?group=true") => {
    const form = new FormData();
    for (const [name, content] of Object.entries(files))
      form.append("file", new Blob([typeof content === "string" ? content : new Uint8Array(content)]), name);
    return lists.ask(`/bulk/upload/preview${query}`, { form });
  };

  test("several files are one list with one job and one download", async () => {
    const { status, body: preview } = await sendGroup({
      "a.csv": "Email,city\nvalid+a@mailvet.test,Rome\n",
      "b.txt": "valid+b@mailvet.test\nvalid+a@mailvet.test\n",
      "c.xlsx": await xlsxOf({
        sheets: { S: rowOf("name", "email") + rowOf("Cy", "role-based@mailvet.test") },
      }),
    });
    expect([status, preview]).toMatchObject([
      200,
      {
        is_group: true,
        filename: "a.csv and 2 more",
        columns: ["source_file", "Email", "city", "name"],
        suggested_email_column: "Email",
        total_rows: 4,
        unique_count_by_column: { Email: 3 },
      },
    ]);
    const { id } = await lists.confirm(preview);
    expect(await lists.ended(id)).toMatchObject({
      status: "completed",
      unique_emails: 3,
      duplicate_count: 1,
    });
    const rows = await lists.download(id);
    expect(rows.map((cells) => cells.slice(0, 5))).toEqual([
      ["source_file", "Email", "city", "name", "mailvet_status"],
      ["a.csv", "valid+a@mailvet.test", "Rome", "", "valid"],
      ["b.txt", "valid+b@mailvet.test", "", "", "valid"],
      ["b.txt", "valid+a@mailvet.test", "", "", "valid"],
      ["c.xlsx", "role-based@mailvet.test", "", "Cy", "risky"],
    ]);
  });

  test("a list of emails before files with a header has their email column", async () => {
    const { body: preview } = await sendGroup({
      "a.txt": "valid+a@mailvet.test\n",
      "b.txt": "valid+b@mailvet.test\n",
      "c.csv": "name,E-Mail\nCy,valid+c@mailvet.test\n",
      "d.csv": "e-mail,name\nvalid+d@mailvet.test,Di\n",
    });
    expect(preview).toMatchObject({
      columns: ["source_file", "E-Mail", "name"],
      suggested_email_column: "E-Mail",
      email_count_by_column: { "E-Mail": 4 },
    });
    const { id } = await lists.confirm(preview);
    expect(await lists.ended(id)).toMatchObject({ status: "completed", unique_emails: 4, valid_count: 4 });
    expect((await lists.download(id)).map((cells) => cells.slice(0, 3))).toEqual([
      ["source_file", "E-Mail", "name"],
      ["a.txt", "valid+a@mailvet.test", ""],
      ["b.txt", "valid+b@mailvet.test", ""],
      ["c.csv", "valid+c@mailvet.test", "Cy"],
      ["d.csv", "valid+d@mailvet.test", "Di"],
    ]);
  });

  test("a file above the limit is taken as a group, up to ten times the limit", async () => {
    const file = (count: number) => ({ "large.csv": `email\n${emails(count).join("\n")}\n` });
    await expectProblem(service, await sendGroup(file(21), ""), "too_many_emails");
    const { body: preview } = await sendGroup(file(200), "?split=true");
    expect(preview).toMatchObject({ is_group: true, columns: ["email"] });
    const { id } = await lists.confirm(preview);
    expect(await lists.ended(id)).toMatchObject({ status: "completed", valid_count: 200 });
    await expectProblem(service, await sendGroup(file(201), "?split=true"), "too_many_emails");
  });

  test("columns of one file stay apart, and cells beyond its header are kept", async () => {
    const { body: preview } = await sendGroup({
      "a.csv": `Email,first,EMAIL\nvalid+a1@mailvet.test,Ann,valid+a2@mailvet.test\n${"valid+a3@mailvet.test,Bo\n".repeat(150)}valid+a4@mailvet.test,Cy,valid+a5@mailvet.test,more,and more\n`,
      "b.csv": "first,city,email\nDi,Rome,valid+b@mailvet.test\n",
    });
    expect(preview).toMatchObject({
      columns: ["source_file", "Email", "first", "EMAIL", "column_4", "column_5", "city"],
      suggested_email_column: "Email",
      total_rows: 153,
    });
    const { id } = await lists.confirm(preview);
    await lists.ended(id);
    const { text } = await lists.ask(`/bulk/jobs/${id}/download?format=ndjson`);
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows[0].columns).toMatchObject({
      Email: "valid+a1@mailvet.test",
      EMAIL: "valid+a2@mailvet.test",
      city: "",
    });
    expect(rows[151]).toMatchObject({
      columns: {
        Email: "valid+a4@mailvet.test",
        EMAIL: "valid+a5@mailvet.test",
        column_4: "more",
        column_5: "and more",
        city: "",
      },
    });
    expect(rows[152].columns).toMatchObject({ Email: "valid+b@mailvet.test", first: "Di", city: "Rome" });
  });

  test("groups with too many columns do not keep other spreadsheets waiting", async () => {
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
    const wide = {
      "a.csv": `email,${names("c", 990).join(",")}\nvalid@mailvet.test\n`,
      "b.xlsx": await xlsxOf({
        sheets: { S: rowOf("email", ...names("d", 20)) + rowOf("valid@mailvet.test") },
      }),
    };
    for (let n = 0; n < 3; n++) await expectProblem(service, await sendGroup(wide), "not_a_table");
    const next = await sendGroup({ "c.xlsx": await xlsxOf({ sheets: { S: rowOf("valid@mailvet.test") } }) });
    expect(next.body).toMatchObject({ total_rows: 1 });
  });

  test("eleven files, or several without group, are refused", async () => {
    const files = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`${n}.csv`, "a@b.cd\n"]));
    await expectProblem(service, await sendGroup(files), "validation_failed");
    await expectProblem(
      service,
      await sendGroup({ "a.csv": "a@b.cd", "b.csv": "b@b.cd" }, ""),
      "validation_failed",
    );
  });
});

test("several email columns are checked in one job", async () => {
  const preview = await lists.upload(
    "name,work,home\nAnn,valid+w1@mailvet.test,role-based@mailvet.test\nBo,,valid+w1@mailvet.test\nCy,mailbox-not-found@mailvet.test,\n",
  );
  const confirm = (more_email_columns: string[]) =>
    lists.ask("/bulk/upload/confirm", {
      body: { upload_id: preview.upload_id, email_column: "work", more_email_columns },
    });
  await expectProblem(service, await confirm(["nope"]), "email_column_not_found");
  await expectProblem(service, await confirm(["work"]), "validation_failed");
  await expectProblem(service, await confirm(["name"]), "no_emails_found");
  const { status, body: job } = await confirm(["home"]);
  expect([status, job]).toMatchObject([
    200,
    { email_column: "work", more_email_columns: ["home"], total_rows: 3, total_emails: 4, unique_emails: 3 },
  ]);
  await expectProblem(service, await confirm([]), "job_state_conflict");
  const ended = await lists.ended(job.id);
  expect(ended).toMatchObject({ status: "completed", credits_used: 3, duplicate_count: 1 });

  const [header, ...rows] = await lists.download(job.id);
  const at = [0, 1, 2, header!.indexOf("mailvet_status"), header!.indexOf("mailvet_status (home)")];
  expect(rows.map((cells) => at.map((n) => cells[n]))).toEqual([
    ["Ann", "valid+w1@mailvet.test", "role-based@mailvet.test", "valid", "risky"],
    ["Bo", "", "valid+w1@mailvet.test", "", "valid"],
    ["Cy", "mailbox-not-found@mailvet.test", "", "invalid", ""],
  ]);
  expect(await lists.download(job.id, "?status=risky")).toHaveLength(2);
  const results = (query: string) => lists.ask(`/bulk/jobs/${job.id}/results${query}`);
  const { body: page } = await results("?limit=3");
  expect(page).toMatchObject([
    { row: 1, column: "work", cell: 1, is_duplicate: false },
    { row: 1, column: "home", cell: 2 },
    { row: 2, column: "home", cell: 4, is_duplicate: true },
  ]);
  expect((await results(`?after_row=${page[2].cell}`)).body).toMatchObject([
    { row: 3, column: "work", cell: 5 },
  ]);
  const addressAt = async (cell: number) =>
    (await lists.ask(`/bulk/jobs/${job.id}/results/${cell}`)).body.email;
  for (const { cell, email } of page) expect(await addressAt(cell)).toBe(email);
  expect((await lists.ask(`/bulk/jobs/${job.id}`, { method: "DELETE" })).status).toBe(204);
  const left = await service.database.pool.query("select from results where job_id = $1", [job.id]);
  expect(left.rowCount).toBe(0);
});

test("the pages of a job with several email columns are linked to the end", async () => {
  const rows = Array.from({ length: 4 }, (_, n) =>
    ["a", "b", "c"].map((name) => `valid+${name}${n}@mailvet.test`),
  );
  const preview = await lists.upload(`a,b,c\n${rows.join("\n")}\n`);
  const { body: job } = await lists.ask("/bulk/upload/confirm", {
    body: { upload_id: preview.upload_id, email_column: "a", more_email_columns: ["b", "c"] },
  });
  await lists.ended(job.id);
  const seen: string[] = [];
  let path: string | undefined = `/bulk/jobs/${job.id}/results?limit=5`;
  while (path && seen.length < 20) {
    const { headers, body } = await lists.ask(path);
    seen.push(...body.map(({ email }: JobResult) => email));
    path = /<\/api\/v1([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  }
  expect(seen).toEqual(rows.flat());
});
