/** What can be wrong with outcomes that are told: rows for the stories of errors. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { changed, MAX_EMAILS, only, type Row } from "./errors-stage.ts";
import { formWith } from "./service.ts";

const tells = only("POST /feedback");

/** In a form. */
const sending = (content: string | Uint8Array<ArrayBuffer>) =>
  changed({ body: undefined, form: formWith(content) });
/** As it is. */
const sendingPlain = (body: string) => changed({ body, headers: { "content-type": "text/csv" } });
const zipped = (text: string) => new Uint8Array(gzipSync(text));
const ROW = "ann@house.example,bounced\n";

export const ROWS_OF_FEEDBACK: readonly Row[] = [
  ["an outcome of nobody", "validation_failed", tells, changed({ body: { outcome: "bounced" } })],
  [
    "one outcome beside a list of them",
    "validation_failed",
    tells,
    changed({
      body: { email: "ann@house.example", outcomes: [{ email: "bo@house.example", outcome: "bounced" }] },
    }),
  ],
  [
    "more than 1,000 outcomes",
    "validation_failed",
    tells,
    changed({ body: { outcomes: Array(1_001).fill({ email: "ann@house.example", outcome: "bounced" }) } }),
  ],
  [
    "a file that does not say what became of anything",
    "validation_failed",
    tells,
    sending("name,email\nAnn,ann@house.example\n"),
  ],
  ["a form that breaks off", "malformed_request", tells, brokenForm()],
  ["a file that is too large", "payload_too_large", tells, sending(ROW.repeat(45_000))],
  ["a plain file that is too large", "payload_too_large", tells, sendingPlain(ROW.repeat(45_000))],
  ["an empty file", "empty_file", tells, sending("")],
  ["an empty plain file", "empty_file", tells, sendingPlain("")],
  ["a web page", "not_a_table", tells, sending("<!doctype html><p>ann@house.example</p>")],
  ["an archive", "unsupported_file", tells, sending("PK\x03\x04and so on")],
  ["half a gzip file", "undecodable_file", tells, sending(zipped(ROW).subarray(0, 20))],
  ["a gzip file of far too much", "compression_bomb", tells, sending(zipped("x,y\n".repeat(2_000_000)))],
  ["a list of something else", "no_emails_found", tells, sending("name,event\nAnn,bounced\nBo,sent\n")],
  [
    "more rows than a file may have",
    "too_many_rows",
    tells,
    async (endpoint) => {
      const answer = await sendingPlain(`email,event\n${ROW.repeat(MAX_EMAILS + 1)}`)(endpoint);
      expect(answer.body).toMatchObject({ found: MAX_EMAILS + 1, limit: MAX_EMAILS });
      return answer;
    },
  ],
];

function brokenForm(): Row[3] {
  return changed({ body: "--x\r\n", headers: { "content-type": "multipart/form-data; boundary=x" } });
}
