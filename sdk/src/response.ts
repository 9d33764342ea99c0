/** Reads an HTTP response: a document of the API, a problem document, or a response from something else. */
import type { Problem } from "@mailvet/contract";
import { foreignResponse, MailvetProblem, MailvetUnreachable } from "./errors.ts";

export type ApiResponse<T> = {
  body: T;
  /** The numeric value of a header; undefined without one. */
  count(header: string): number | undefined;
};

/** Far above any response of the API. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

const NO_CONTENT = 204;

export async function readResponse<T>(response: Response): Promise<ApiResponse<T>> {
  rejectRedirect(response);
  const { status, headers } = response;
  const count = (header: string) => countIn(headers.get(header));
  if (status === NO_CONTENT) return { body: undefined as T, count };

  const document = parseJson(await textOf(response));
  if (response.ok && typeof document === "object" && document !== null) return { body: document as T, count };

  const retryAfterSeconds = secondsUntil(headers.get("retry-after"), Date.now());
  if (!response.ok && isProblem(document))
    throw new MailvetProblem({ ...document, status }, retryAfterSeconds);
  const kind = headers.get("content-type") ?? "no content type";
  throw foreignResponse(`status ${status}, ${kind}`, {
    status,
    retryAfterSeconds,
  });
}

/** For responses that are not JSON: throws like readResponse unless the API succeeded. */
export async function rejectForeign(response: Response): Promise<Response> {
  const isPage = /^text\/html\b/i.test(response.headers.get("content-type") ?? "");
  if (!response.ok || isPage) await readResponse(response);
  return response;
}

/**
 * Redirects are not followed, because fetch would send the API key header to their target. A browser hides status and
 * target of a redirect.
 */
function rejectRedirect({ type, status, headers }: Response): void {
  if (type !== "opaqueredirect" && !(status >= 300 && status < 400)) return;
  const target = headers.get("location");
  throw new MailvetUnreachable(
    "redirected",
    `The service redirects to another URL${target ? `: ${target}` : ""}`,
    status ? { status } : {},
  );
}

async function textOf(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    sizeBytes += value.byteLength;
    if (sizeBytes > MAX_RESPONSE_BYTES) {
      await reader.cancel();
      throw foreignResponse("too large", {
        status: response.status,
      });
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(document: unknown): document is Problem {
  const { code, detail } = (document ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string";
}

function countIn(text: string | null): number | undefined {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
}

/** Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function secondsUntil(retryAfter: string | null, nowMs: number): number | undefined {
  if (retryAfter === null) return undefined;
  const atMs = Date.parse(retryAfter);
  return (
    countIn(retryAfter) ?? (Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000)))
  );
}
