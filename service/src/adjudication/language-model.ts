/**
 * Client of a language model behind an OpenAI-compatible endpoint, over plain fetch.
 *
 * It never throws and never waits longer than its signal: whatever the server does is returned as a value. It follows no
 * redirects, so that the key goes nowhere else, and limits the size of an answer. The text is parsed in answer-parser.ts.
 */
export type LanguageModel = {
  complete(prompt: Prompt, stop: AbortSignal): Promise<Completion>;
};

export type Prompt = {
  /** Instructions. */
  system: string;
  /** JSON text, all of it data. */
  user: string;
  /** JSON schema of the answer. */
  answerSchema: object;
};

export type Completion = { text: string } | ModelFailure;
export type ModelFailure = {
  /** Why there is no answer. Never quotes the server. */
  failure: string;
  /** HTTP status, if there was a response. */
  status?: number;
  /** From Retry-After. */
  retryAfterMs?: number;
};

export type LanguageModelSettings = {
  /** Without a slash at its end. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
};

/** Twenty answers are about 1 KiB. Counted after decompression. */
const MAX_ANSWER_BYTES = 64 * 1024;

export function createLanguageModel({ baseUrl, model, apiKey }: LanguageModelSettings): LanguageModel {
  /** The endpoint rejects response_format or temperature. */
  let isPlain = false;

  const post = async (prompt: Prompt, plainly: boolean, stop: AbortSignal): Promise<Completion> => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      redirect: "manual",
      signal: stop,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages: [
          { role: "system", content: prompt.system },
          { role: "user", content: prompt.user },
        ],
        ...(plainly ? {} : extrasFor(prompt)),
      }),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return refusalOf(response);
    }
    const body = await readBody(response);
    const text = body === undefined ? undefined : textOf(body);
    return text === undefined ? { failure: "the response is not a completion" } : { text };
  };

  const attempt = async (prompt: Prompt, plainly: boolean, stop: AbortSignal): Promise<Completion> => {
    try {
      return await post(prompt, plainly, stop);
    } catch (error) {
      return { failure: stop.aborted ? "no answer in time" : failureOf(error) };
    }
  };

  return {
    async complete(prompt, stop) {
      const isPlainAlready = isPlain;
      const completion = await attempt(prompt, isPlainAlready, stop);
      if (isPlainAlready || !isNotUnderstood(completion)) return completion;
      // Some servers reject response_format, some models temperature: they are left out from now on.
      const plain = await attempt(prompt, true, stop);
      isPlain = "text" in plain;
      return plain;
    },
  };
}

const extrasFor = ({ answerSchema }: Prompt) => ({
  temperature: 0,
  response_format: {
    type: "json_schema",
    json_schema: { name: "answers", strict: true, schema: answerSchema },
  },
});

const NOT_UNDERSTOOD: ReadonlySet<number | undefined> = new Set([400, 422]);
const isNotUnderstood = (completion: Completion) =>
  "failure" in completion && NOT_UNDERSTOOD.has(completion.status);

function refusalOf({ status, headers }: Response): ModelFailure {
  const isRedirect = status >= 300 && status < 400;
  const failure = `HTTP status ${status}${isRedirect ? " (redirects are not followed)" : ""}`;
  const retryAfterMs = ASK_LATER.has(status) ? delayOf(headers.get("retry-after")) : undefined;
  return { failure, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

const ASK_LATER: ReadonlySet<number> = new Set([429, 503]);

/** Retry-After has seconds or a date. */
function delayOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const delayMs = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

/** Undefined when it is too long. */
async function readBody({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ANSWER_BYTES) return undefined; // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function textOf(body: string): string | undefined {
  try {
    const content: unknown = JSON.parse(body)?.choices?.[0]?.message?.content;
    return typeof content === "string" ? content : undefined;
  } catch {
    return undefined;
  }
}

/** By the error's code only: messages may quote the request. */
function failureOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  const code = typeof cause?.code === "string" && /^[A-Z0-9_]{1,40}$/.test(cause.code) ? cause.code : "";
  return `the connection failed${code && ` (${code})`}`;
}
