/** The tools of `mailvet mcp`, answered by a service. */
import { type ToolBackend, ToolFailure } from "@mailvet/mcp";
import type { ValidateOptions } from "@mailvet/sdk";
import { type RemoteService, ServiceFailure } from "../remote/service.ts";
import { explainLocally } from "./local-backend.ts";

export function remoteBackend({ client, explain }: RemoteService): ToolBackend {
  /** A refusal of the service is for the model to read. */
  const told = async <T>(answer: PromiseLike<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const explained = explain(error);
      throw explained instanceof ServiceFailure ? new ToolFailure(explained.message) : explained;
    }
  };
  return {
    check: ({ email, ...options }, signal) => told(client.validate(email, { ...optionsOf(options), signal })),
    checkMany: ({ emails, ...options }, signal) =>
      told(client.validateBulk(emails, { ...optionsOf(options), signal })),
    explainReply: explainLocally,
    inspectDomain: ({ domain }, signal) => told(client.inspectDomain(domain, { signal })),
    startJob: (job, signal) => told(client.jobs.create(job, { signal })),
    jobStatus: ({ job_id }, signal) => told(client.jobs.get(job_id, { signal })),
    jobResults: ({ job_id, status, after_row: afterRow, limit }, signal) =>
      told(client.jobs.results(job_id, { status, afterRow, limit }, { signal })),
  };
}

type CheckInput = Omit<Parameters<ToolBackend["check"]>[0], "email">;

function optionsOf({ timeout_seconds, level, fresh }: CheckInput): ValidateOptions {
  return { timeoutSeconds: timeout_seconds, level, freshSeconds: fresh };
}
