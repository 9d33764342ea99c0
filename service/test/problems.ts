/** Expectations of problem documents: complete, documented, free of charge. */
import { PROBLEMS, Problem, type ProblemCode } from "@mailvet/contract";
import { Compile } from "typebox/compile";
import { expect } from "vitest";
import type { Answer, TestService } from "./service.ts";

const problemSchema = Compile(Problem);

/** A complete problem document with this code, whose type links to an explanation. */
export async function expectProblem(
  service: TestService,
  response: Answer,
  code: ProblemCode,
): Promise<void> {
  const [status, title] = PROBLEMS[code];
  expect(response.body).toMatchObject({ status, code, title });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json(;|$)/);
  expect([...problemSchema.Errors(response.body)]).toEqual([]);
  expect(response.body.detail).toMatch(/^\S.{9,}$/);
  expect(response.body.request_id).toBe(response.headers.get("x-request-id"));
  expect(await explanationAt(service, response.body.type)).toContain(`id="${code}"`);
}

const pages = new Map<string, Promise<string>>();

/** The page that the type of a problem links to. */
function explanationAt(service: TestService, type: string): Promise<string> {
  const { href } = new URL(type, service.url);
  const page = pages.get(href) ?? fetch(href).then((response) => (response.ok ? response.text() : ""));
  pages.set(href, page);
  return page;
}

/** All balances, the length of the ledger and credits per day, to compare before and after. Verdicts are counted up to a second later. */
export async function booksOf({ database }: TestService): Promise<unknown> {
  const { rows } = await database.pool.query(
    `select (select json_agg(b order by account_id) from balances b) as balances,
       (select count(*) from ledger) as entries,
       (select json_agg(u) from (select account_id, day, key_id, credits_used from usage_days) u) as usage`,
  );
  return rows[0];
}
