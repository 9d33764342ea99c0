/** Errors of uploads and jobs, and the objects they need. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { rowOf, xlsxOf } from "../../engine/test/workbooks.ts";
import { requestTo } from "./endpoint-requests.ts";
import { type Endpoint, HOOK, linkTo } from "./endpoints.ts";
import {
  acceptsFile,
  by,
  type Credentials,
  changed,
  fixture,
  MAX_EMAILS,
  only,
  type Row,
} from "./errors-fixture.ts";
import { type Answer, formWith } from "./service.ts";

const OWN_PAGE = { headers: { "sec-fetch-site": "same-origin" } };
const LIST = "name,email\nAnn,valid+1@mailvet.test\nBo,valid+2@mailvet.test\n";
/** Two emails in the email column, and a column of different remarks with one email among them. */
const REMARKS = Array.from({ length: 7 }, (_, n) =>
  n < 2 ? `p,valid+${n}@mailvet.test,write to ${n}` : `p,,${n === 2 ? "ask@mailvet.test" : `remark ${n}`}`,
).join("\n");

/** Uploads and jobs, mostly of cy, each in a state that some action does not allow. */
const cys = {} as Record<
  | "upload"
  | "confirmedUpload"
  | "lateUpload"
  | "brokesUpload"
  | "freesUpload"
  | "queuedJob"
  | "plannedJob"
  | "expiredJob"
  | "hugeJob"
  | "brokesJob"
  | "freesJob",
  string
>;

/** Creates them. */
export async function settleCy(): Promise<void> {
  const { service, people } = fixture;
  const { cy, broke, free } = people;
  const upload = async (who: Credentials, content: string): Promise<string> =>
    (await service.ask("/bulk/upload/preview", { ...who, ...OWN_PAGE, form: formWith(content) })).body
      .upload_id;
  const jobOf = async (uploadId: string, who: Credentials = { key: cy.key }): Promise<string> =>
    (await confirm(uploadId, who)).body.id;
  const change = (table: "jobs" | "uploads", id: string, values: string) =>
    service.database.pool.query(`update ${table} set ${values} where id = $1`, [id]);

  const asCy = { key: cy.key };
  const confirmedUpload = await upload(asCy, LIST);
  const lateUpload = await upload(asCy, LIST);
  await change("uploads", lateUpload, "expires_at = now()");
  const expiredJob = await jobOf(await upload(asCy, LIST));
  await change("jobs", expiredJob, "status = 'completed', expires_at = now()");
  const hugeJob = await jobOf(await upload(asCy, LIST));
  await change("jobs", hugeJob, "status = 'completed', total_rows = 2000000");
  /** A completed job of another account, with a result. */
  const completedJobOf = async (accountId: string): Promise<string> => {
    const id = await jobOf(await upload(asCy, LIST));
    await change("jobs", id, `status = 'completed', account_id = '${accountId}'`);
    await service.database.pool.query(
      `insert into results (job_id, row, email, status, sub_status, confidence, score, is_valid, safe_to_send, provider,
         is_catchall, is_disposable, is_role_based, is_free, smtp_code, checked_at)
       values ($1, 1, 'valid@mailvet.test', 'valid', '', 1, 97, true, true, '', false, false, false, false, 250, now())`,
      [id],
    );
    await service.database.pool.query(
      "insert into job_counts (job_id, sub_status, count) values ($1, '', 1)",
      [id],
    );
    return id;
  };
  const plannedJob = await jobOf(await upload(asCy, LIST));
  await service.database.pool.query(
    `insert into slices (job_id, number, emails) values ($1, 1, '[[1, "valid@mailvet.test"]]')`,
    [plannedJob],
  );
  const asFree = { cookie: free.cookie };
  await jobOf(await upload(asFree, LIST), asFree);
  Object.assign(cys, {
    upload: await upload(asCy, `name,email,remarks\n${REMARKS}`),
    confirmedUpload,
    lateUpload,
    queuedJob: await jobOf(confirmedUpload),
    plannedJob,
    expiredJob,
    hugeJob,
    brokesJob: await completedJobOf(broke.accountId),
    freesJob: await completedJobOf(free.accountId),
    brokesUpload: await upload({ key: broke.key }, LIST),
    freesUpload: await upload(asFree, LIST),
  });
}

function confirm(uploadId: string, who: Credentials): Promise<Answer> {
  const body = { upload_id: uploadId, email_column: "email" };
  return fixture.service.ask("/bulk/upload/confirm", { ...who, ...OWN_PAGE, body });
}

const confirms = only("POST /bulk/upload/confirm");
const namesColumn = only("POST /bulk/upload/confirm", "POST /bulk/upload/estimate");
const isAboutJob = ({ path }: Endpoint) => path.includes("{job_id}");
const rechecks = only("POST /bulk/jobs/{job_id}/recheck");
const movesJob = (endpoint: Endpoint) =>
  endpoint.path.startsWith("/bulk/jobs/{") && endpoint.method === "POST" && !rechecks(endpoint);
const showsResults = only("GET /bulk/jobs/{job_id}/results", "GET /bulk/jobs/{job_id}/download");
const showsRow = only("GET /bulk/jobs/{job_id}/results/{row}");
const readsResults = (endpoint: Endpoint) => showsResults(endpoint) || showsRow(endpoint);

/** Uploads a file. */
const uploading =
  (content: string | Uint8Array<ArrayBuffer>): Row[3] =>
  (endpoint) =>
    changed(endpoint.form ? { form: formWith(content) } : { body: { url: linkTo(content) } })(endpoint);

const sendsLink = only("POST /bulk/upload/link");
const readsFile = (endpoint: Endpoint) => acceptsFile(endpoint) || sendsLink(endpoint);
const sendsJson = only("POST /bulk/jobs");
const linking = (url: string) => changed({ body: { url } });
const listing = (...emails: string[]) => changed({ body: { emails } });

/** A request of cy about an object of cy. */
const byCy = (ask: () => { ids?: Record<string, string>; query?: string; body?: unknown }) => {
  return (endpoint: Endpoint) => {
    const { ids = {}, ...part } = ask();
    const { path, asked } = requestTo({ ...endpoint, ...part }, ids);
    return fixture.service.ask(path, { ...asked, key: fixture.people.cy.key });
  };
};
const confirming = (upload: () => string, email_column = "email") =>
  byCy(() => ({ body: { upload_id: upload(), email_column } }));
const aboutJob = (job: () => string, query = "") => byCy(() => ({ ids: { job_id: job() }, query }));

/** Number found, and the limit. */
const saying = (counts: { found: number; limit: number }, ask: Row[3]): Row[3] => {
  return async (endpoint) => {
    const response = await ask(endpoint);
    expect(response.body).toMatchObject(counts);
    return response;
  };
};

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => `valid+${n}@mailvet.test`).join("\n");
const zipped = (text: string) => new Uint8Array(gzipSync(text));

const UPLOAD_ROWS: readonly Row[] = [
  [
    "a truncated form",
    "malformed_request",
    acceptsFile,
    changed({
      form: undefined,
      body: "--x\r\n",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    }),
  ],
  [
    "a file that is not in a form",
    "unsupported_media_type",
    acceptsFile,
    changed({ form: undefined, body: "email\nann@company.example", headers: { "content-type": "text/csv" } }),
  ],
  ["a file that is too large", "payload_too_large", readsFile, uploading("a,b\n".repeat(1024 * 256 + 1))],
  ["an empty file", "empty_file", readsFile, uploading("")],
  ["an HTML file", "not_a_table", readsFile, uploading("<!doctype html><p>ann@company.example</p>")],
  ["an archive", "unsupported_file", readsFile, uploading("Rar!\x1a\x07and so on")],
  [
    "a truncated gzip file",
    "undecodable_file",
    readsFile,
    uploading(zipped("email\nann@company.example").subarray(0, 20)),
  ],
  ["a decompression bomb", "compression_bomb", readsFile, uploading(zipped("x,y\n".repeat(2_000_000)))],
  ["a list without emails", "no_emails_found", readsFile, uploading("name,city\nAnn,Rome\nBo,Oslo\n")],
  [
    "more emails than allowed per file",
    "too_many_emails",
    readsFile,
    saying({ found: 7, limit: MAX_EMAILS }, uploading(`email\n${numbered(7)}`)),
  ],
  [
    "more rows than allowed",
    "too_many_rows",
    readsFile,
    saying({ found: 1_000_001, limit: 1_000_000 }, uploading(zipped(`email\n${"x\n".repeat(1_000_001)}`))),
  ],
  [
    "one unconfirmed upload too many",
    "too_many_uploads",
    (endpoint) => readsFile(endpoint) || sendsJson(endpoint),
    async (endpoint) => {
      await fixture.service.database.pool.query(
        `insert into uploads (id, account_id, filename, expires_at)
         select gen_random_uuid(), $1, 'one of many', now() + interval '1 day' from generate_series(1, 20)`,
        [fixture.people.ann.accountId],
      );
      const response = await changed({})(endpoint);
      await fixture.service.database.pool.query("delete from uploads where filename = 'one of many'");
      return response;
    },
  ],
  [
    "more stored bytes than the plan allows",
    "storage_full",
    (endpoint) => readsFile(endpoint) || sendsJson(endpoint),
    async (endpoint) => {
      await fixture.service.database.pool.query(
        `insert into uploads (id, account_id, filename, stored_bytes) values (gen_random_uuid(), $1, 'all there is', 1e12)`,
        [fixture.people.ann.accountId],
      );
      const response = await changed({})(endpoint);
      await fixture.service.database.pool.query("delete from uploads where filename = 'all there is'");
      return response;
    },
  ],
  [
    "an unknown sheet",
    "sheet_not_found",
    readsFile,
    async (endpoint) => {
      const workbook = new Uint8Array(await xlsxOf({ sheets: { People: rowOf("ann@company.example") } }));
      const change = endpoint.form
        ? { query: "?sheet=Nope", form: formWith(workbook) }
        : { body: { url: linkTo(workbook), sheet: "Nope" } };
      return changed({})({ ...endpoint, ...change });
    },
  ],
  ["a link to a private address", "link_rejected", sendsLink, linking("https://10.0.0.1/list.csv")],
  ["a link to nothing", "link_failed", sendsLink, linking(HOOK)],
  ["an empty list", "empty_file", sendsJson, listing()],
  ["a list of something else", "no_emails_found", sendsJson, listing("Ann", "Bo")],
  ["a very long email", "not_a_table", sendsJson, listing("x".repeat(100_000))],
  [
    "more emails than allowed",
    "too_many_emails",
    sendsJson,
    saying({ found: 7, limit: MAX_EMAILS }, listing(...numbered(7).split("\n"))),
  ],
  [
    "a list that is too large",
    "payload_too_large",
    sendsJson,
    listing(...Array.from({ length: 20_000 }, (_, n) => `${n}`.padEnd(60, "x"))),
  ],
  [
    "an unknown column",
    "email_column_not_found",
    sendsJson,
    changed({ body: { rows: [{ mail: "ann@company.example" }], email_column: "email" } }),
  ],
  [
    "a webhook at a private address",
    "webhook_url_rejected",
    sendsJson,
    changed({ body: { emails: ["ann@company.example"], webhook_url: "https://10.0.0.1/" } }),
  ],
  [
    "a list that costs more than the balance",
    "insufficient_credits",
    sendsJson,
    by(() => ({ key: fixture.people.broke.key })),
  ],
  [
    "one active job too many",
    "too_many_active_jobs",
    sendsJson,
    (endpoint) => {
      const { path, asked } = requestTo(endpoint);
      return fixture.service.ask(path, { ...asked, ...OWN_PAGE, cookie: fixture.people.free.cookie });
    },
  ],
];

const CONFIRM_ROWS: readonly Row[] = [
  [
    "a list with more emails than credits",
    "insufficient_credits",
    confirms,
    async () => {
      const response = await confirm(cys.brokesUpload, { key: fixture.people.broke.key });
      expect(response.body).toMatchObject({ required: 2, available: 0 });
      return response;
    },
  ],
  ["an unknown upload", "upload_not_found", namesColumn, changed({})],
  ["an upload of another account", "upload_not_found", namesColumn, confirming(() => cys.brokesUpload)],
  ["an expired upload", "upload_expired", namesColumn, confirming(() => cys.lateUpload)],
  ["an unknown column", "email_column_not_found", namesColumn, confirming(() => cys.upload, "mail")],
  ["a column without emails", "no_emails_found", confirms, confirming(() => cys.upload, "name")],
  [
    "a column with more emails than allowed",
    "too_many_emails",
    confirms,
    saying(
      { found: 7, limit: MAX_EMAILS },
      confirming(() => cys.upload, "remarks"),
    ),
  ],
  [
    "an upload that was confirmed with another column",
    "job_state_conflict",
    confirms,
    confirming(() => cys.confirmedUpload, "name"),
  ],
  [
    "one active job too many",
    "too_many_active_jobs",
    confirms,
    () => confirm(cys.freesUpload, { cookie: fixture.people.free.cookie }),
  ],
];

const RECHECK = { method: "POST", body: { which: "all" } };

const JOB_ROWS: readonly Row[] = [
  [
    "a recheck without credits",
    "insufficient_credits",
    rechecks,
    () =>
      fixture.service.ask(`/bulk/jobs/${cys.brokesJob}/recheck`, {
        ...RECHECK,
        key: fixture.people.broke.key,
      }),
  ],
  [
    "a recheck that is one active job too many",
    "too_many_active_jobs",
    rechecks,
    () =>
      fixture.service.ask(`/bulk/jobs/${cys.freesJob}/recheck`, {
        ...RECHECK,
        ...OWN_PAGE,
        cookie: fixture.people.free.cookie,
      }),
  ],
  ["an unknown job", "job_not_found", isAboutJob, changed({})],
  [
    "final results of a running job",
    "results_not_ready",
    showsResults,
    aboutJob(() => cys.queuedJob, "?final=true"),
  ],
  ["expired results", "results_expired", readsResults, aboutJob(() => cys.expiredJob)],
  ["a recheck of expired results", "results_expired", rechecks, aboutJob(() => cys.expiredJob)],
  ["a row without a result", "not_found", showsRow, aboutJob(() => cys.queuedJob)],
  ["a row without a verdict yet", "results_not_ready", showsRow, aboutJob(() => cys.plannedJob)],
  [
    "more rows than a worksheet holds",
    "payload_too_large",
    only("GET /bulk/jobs/{job_id}/download"),
    aboutJob(() => cys.hugeJob, "?format=xlsx"),
  ],
  ["a finished job", "job_state_conflict", movesJob, aboutJob(() => cys.expiredJob)],
  [
    "a queued job",
    "job_state_conflict",
    only(
      "POST /bulk/jobs/{job_id}/pause",
      "POST /bulk/jobs/{job_id}/resume",
      "POST /bulk/jobs/{job_id}/recheck",
    ),
    aboutJob(() => cys.queuedJob),
  ],
];

const savesList = only("POST /lists");
const saving = (job: () => string) => byCy(() => ({ body: { job_id: job(), name: "customers" } }));

const LIST_ROWS: readonly Row[] = [
  ["an unknown list", "list_not_found", ({ path }) => path.includes("{list_id}"), changed({})],
  ["a list of an unknown job", "job_not_found", savesList, changed({})],
  ["a list of a queued job", "job_state_conflict", savesList, saving(() => cys.queuedJob)],
  ["a list of expired results", "results_expired", savesList, saving(() => cys.expiredJob)],
];

export const ROWS_OF_JOBS = [...UPLOAD_ROWS, ...CONFIRM_ROWS, ...JOB_ROWS, ...LIST_ROWS];
