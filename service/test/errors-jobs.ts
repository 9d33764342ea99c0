/** Error cases of uploads and jobs, and the data they need. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { type Endpoint, requestTo } from "./endpoints.ts";
import { changed, MAX_EMAILS, only, type Row, stage, takesFile, type Who } from "./errors-stage.ts";
import { type Answer, formWith } from "./service.ts";

const OWN_PAGE = { headers: { "sec-fetch-site": "same-origin" } };
const LIST = "name,email\nAnn,valid+1@mailvet.test\nBo,valid+2@mailvet.test\n";
/** Two emails in the email column, and a column of distinct remarks with one email among them. */
const REMARKS = Array.from({ length: 7 }, (_, n) =>
  n < 2 ? `p,valid+${n}@mailvet.test,write to ${n}` : `p,,${n === 2 ? "ask@mailvet.test" : `remark ${n}`}`,
).join("\n");

/** Uploads and jobs, most of them cy's, each in a state that causes an error. */
const cys = {} as Record<
  | "upload"
  | "confirmedUpload"
  | "lateUpload"
  | "brokesUpload"
  | "freesUpload"
  | "queuedJob"
  | "expiredJob"
  | "hugeJob",
  string
>;

/** Creates them. */
export async function settleCy(): Promise<void> {
  const { service, people } = stage;
  const { cy, broke, free } = people;
  const upload = async (who: Who, content: string): Promise<string> =>
    (await service.ask("/bulk/upload/preview", { ...who, ...OWN_PAGE, form: formWith(content) })).body
      .upload_id;
  const jobOf = async (uploadId: string, who: Who = { key: cy.key }): Promise<string> =>
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
  const asFree = { cookie: free.cookie };
  await jobOf(await upload(asFree, LIST), asFree);
  Object.assign(cys, {
    upload: await upload(asCy, `name,email,remarks\n${REMARKS}`),
    confirmedUpload,
    lateUpload,
    queuedJob: await jobOf(confirmedUpload),
    expiredJob,
    hugeJob,
    brokesUpload: await upload({ key: broke.key }, LIST),
    freesUpload: await upload(asFree, LIST),
  });
}

function confirm(uploadId: string, who: Who): Promise<Answer> {
  const body = { upload_id: uploadId, email_column: "email" };
  return stage.service.ask("/bulk/upload/confirm", { ...who, ...OWN_PAGE, body });
}

const confirms = only("POST /bulk/upload/confirm");
const isAboutJob = ({ path }: Endpoint) => path.includes("{job_id}");
const changesJob = (endpoint: Endpoint) => isAboutJob(endpoint) && endpoint.method === "POST";
const showsResults = only("GET /bulk/jobs/{job_id}/results", "GET /bulk/jobs/{job_id}/download");

/** A request that uploads a file. */
const uploading = (content: string | Uint8Array<ArrayBuffer>) => changed({ form: formWith(content) });

/** A request of cy's about their own data. */
const byCy = (ask: () => { ids?: Record<string, string>; query?: string; body?: unknown }) => {
  return (endpoint: Endpoint) => {
    const { ids = {}, ...part } = ask();
    const { path, asked } = requestTo({ ...endpoint, ...part }, ids);
    return stage.service.ask(path, { ...asked, key: stage.people.cy.key });
  };
};
const confirming = (upload: () => string, email_column = "email") =>
  byCy(() => ({ body: { upload_id: upload(), email_column } }));
const aboutJob = (job: () => string, query = "") => byCy(() => ({ ids: { job_id: job() }, query }));

/** Checks the counts in the problem document. */
const saying = (counts: { found: number; limit: number }, ask: Row[3]): Row[3] => {
  return async (endpoint) => {
    const answer = await ask(endpoint);
    expect(answer.body).toMatchObject(counts);
    return answer;
  };
};

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => `valid+${n}@mailvet.test`).join("\n");
const zipped = (text: string) => new Uint8Array(gzipSync(text));

const UPLOAD_ROWS: readonly Row[] = [
  [
    "a truncated form",
    "malformed_request",
    takesFile,
    changed({
      form: undefined,
      body: "--x\r\n",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    }),
  ],
  [
    "a file without a form",
    "unsupported_media_type",
    takesFile,
    changed({ form: undefined, body: "email\nann@shop.example", headers: { "content-type": "text/csv" } }),
  ],
  ["a file that is too large", "payload_too_large", takesFile, uploading("a,b\n".repeat(1024 * 256 + 1))],
  ["an empty file", "empty_file", takesFile, uploading("")],
  ["a web page", "not_a_table", takesFile, uploading("<!doctype html><p>ann@shop.example</p>")],
  ["an archive", "unsupported_file", takesFile, uploading("PK\x03\x04and so on")],
  [
    "half a gzip file",
    "undecodable_file",
    takesFile,
    uploading(zipped("email\nann@shop.example").subarray(0, 20)),
  ],
  ["a gzip bomb", "compression_bomb", takesFile, uploading(zipped("x,y\n".repeat(2_000_000)))],
  ["a list of something else", "no_emails_found", takesFile, uploading("name,city\nAnn,Rome\nBo,Oslo\n")],
  [
    "more emails than a file may have",
    "too_many_emails",
    takesFile,
    saying({ found: 7, limit: MAX_EMAILS }, uploading(`email\n${numbered(7)}`)),
  ],
  [
    "more rows than a file may have",
    "too_many_rows",
    takesFile,
    saying({ found: 1_000_001, limit: 1_000_000 }, uploading(zipped(`email\n${"x\n".repeat(1_000_001)}`))),
  ],
  [
    "too many unconfirmed uploads",
    "too_many_uploads",
    takesFile,
    async (endpoint) => {
      await stage.service.database.pool.query(
        `insert into uploads (id, account_id, filename, expires_at)
         select gen_random_uuid(), $1, 'one of many', now() + interval '1 day' from generate_series(1, 20)`,
        [stage.people.ann.accountId],
      );
      const answer = await changed({})(endpoint);
      await stage.service.database.pool.query("delete from uploads where filename = 'one of many'");
      return answer;
    },
  ],
];

const CONFIRM_ROWS: readonly Row[] = [
  [
    "a list with more emails than there are credits for",
    "insufficient_credits",
    confirms,
    async () => {
      const answer = await confirm(cys.brokesUpload, { key: stage.people.broke.key });
      expect(answer.body).toMatchObject({ required: 2, available: 0 });
      return answer;
    },
  ],
  ["an unknown upload", "upload_not_found", confirms, changed({})],
  ["another account's upload", "upload_not_found", confirms, confirming(() => cys.brokesUpload)],
  ["an upload that was not confirmed in time", "upload_expired", confirms, confirming(() => cys.lateUpload)],
  ["an unknown column", "email_column_not_found", confirms, confirming(() => cys.upload, "mail")],
  ["a column without emails", "no_emails_found", confirms, confirming(() => cys.upload, "name")],
  [
    "a column with more emails than a file may have",
    "too_many_emails",
    confirms,
    saying(
      { found: 7, limit: MAX_EMAILS },
      confirming(() => cys.upload, "remarks"),
    ),
  ],
  [
    "an upload confirmed before with another column",
    "job_state_conflict",
    confirms,
    confirming(() => cys.confirmedUpload, "name"),
  ],
  [
    "too many active jobs",
    "too_many_active_jobs",
    confirms,
    () => confirm(cys.freesUpload, { cookie: stage.people.free.cookie }),
  ],
];

const JOB_ROWS: readonly Row[] = [
  ["an unknown job", "job_not_found", isAboutJob, changed({})],
  ["results of a job that has not ended", "results_not_ready", showsResults, aboutJob(() => cys.queuedJob)],
  ["results past their retention", "results_expired", showsResults, aboutJob(() => cys.expiredJob)],
  [
    "more rows than a sheet can have",
    "payload_too_large",
    only("GET /bulk/jobs/{job_id}/download"),
    aboutJob(() => cys.hugeJob, "?format=xlsx"),
  ],
  ["a job that has ended", "job_state_conflict", changesJob, aboutJob(() => cys.expiredJob)],
  [
    "a queued job",
    "job_state_conflict",
    only("POST /bulk/jobs/{job_id}/pause", "POST /bulk/jobs/{job_id}/resume"),
    aboutJob(() => cys.queuedJob),
  ],
];

export const ROWS_OF_JOBS = [...UPLOAD_ROWS, ...CONFIRM_ROWS, ...JOB_ROWS];
