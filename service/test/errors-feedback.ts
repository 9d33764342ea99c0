/** Errors of POST /feedback. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { changed, MAX_EMAILS, only, type Row } from "./errors-fixture.ts";
import { formWith } from "./service.ts";

const tells = only("POST /feedback");

/** As multipart/form-data. */
const sending = (content: string | Uint8Array<ArrayBuffer>) =>
  changed({ body: undefined, form: formWith(content) });
/** As text/csv. */
const sendingPlain = (body: string) => changed({ body, headers: { "content-type": "text/csv" } });
const zipped = (text: string) => new Uint8Array(gzipSync(text));
const ROW = "ann@company.example,bounced\n";

export const ROWS_OF_FEEDBACK: readonly Row[] = [
  ["an outcome without an email", "validation_failed", tells, changed({ body: { outcome: "bounced" } })],
  [
    "one outcome together with a list",
    "validation_failed",
    tells,
    changed({
      body: { email: "ann@company.example", outcomes: [{ email: "bo@company.example", outcome: "bounced" }] },
    }),
  ],
  [
    "more than 1,000 outcomes",
    "validation_failed",
    tells,
    changed({ body: { outcomes: Array(1_001).fill({ email: "ann@company.example", outcome: "bounced" }) } }),
  ],
  ["a file without outcomes", "validation_failed", tells, sending("name,email\nAnn,ann@company.example\n")],
  ["a plain file without outcomes", "validation_failed", tells, sendingPlain("email\nann@company.example\n")],
  ["a file with a header only", "validation_failed", tells, sendingPlain("email,outcome\n")],
  ["a file of one word", "validation_failed", tells, sendingPlain("0")],
  [
    "a file whose outcomes are all unknown",
    "validation_failed",
    tells,
    sendingPlain("email,outcome\nann@company.example,\nbo@company.example,exploded\n"),
  ],
  ["a truncated form", "malformed_request", tells, brokenForm()],
  ["a file that is too large", "payload_too_large", tells, sending(ROW.repeat(45_000))],
  ["a plain file that is too large", "payload_too_large", tells, sendingPlain(ROW.repeat(45_000))],
  ["an empty file", "empty_file", tells, sending("")],
  ["an empty plain file", "empty_file", tells, sendingPlain("")],
  ["an HTML file", "not_a_table", tells, sending("<!doctype html><p>ann@company.example</p>")],
  ["an archive", "unsupported_file", tells, sending("Rar!\x1a\x07and so on")],
  ["a truncated gzip file", "undecodable_file", tells, sending(zipped(ROW).subarray(0, 20))],
  ["a decompression bomb", "compression_bomb", tells, sending(zipped("x,y\n".repeat(2_000_000)))],
  ["a list without emails", "no_emails_found", tells, sending("name,event\nAnn,bounced\nBo,sent\n")],
  [
    "more rows than allowed",
    "too_many_rows",
    tells,
    async (endpoint) => {
      const response = await sendingPlain(`email,event\n${ROW.repeat(MAX_EMAILS + 1)}`)(endpoint);
      expect(response.body).toMatchObject({ found: MAX_EMAILS + 1, limit: MAX_EMAILS });
      return response;
    },
  ],
];

function brokenForm(): Row[3] {
  return changed({ body: "--x\r\n", headers: { "content-type": "multipart/form-data; boundary=x" } });
}
