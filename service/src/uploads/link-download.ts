/**
 * Downloads a list from a link of the customer. The link may lead anywhere, so every hop passes the check of webhook
 * destinations (SSRF): public addresses over HTTPS, or what the operator has opened. Size, time and redirects are
 * limited.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { abortable } from "@mailvet/embedded-postgres";
import { Refusal } from "../base/refusal.ts";
import { CONNECTION_CLOSED, failureOf, noResponse, requestTo } from "../webhooks/checked-request.ts";
import type { CheckDestination } from "../webhooks/destination-check.ts";

/** Throws link_rejected, link_failed and payload_too_large, the latter two also while it is read. */
export type DownloadLink = (link: Link, stop: AbortSignal) => Promise<LinkedFile>;

export type Link = { url: string; isTest: boolean };

export type LinkedFile = {
  filename: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Ends the connection. Needed where the bytes may not be read; harmless after it. */
  close(): void;
};

export type LinkDownloadDeps = {
  checkDestination: CheckDestination; // webhooks/destination-check.ts
  maxBytes: number;
  userAgent: string;
  /** For everything, from the first lookup to the last byte. */
  timeoutMs?: number;
  /** CA certificates trusted instead of the default ones. */
  ca?: string | undefined;
};

const TIMEOUT_MS = 5 * 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createLinkDownload(deps: LinkDownloadDeps): DownloadLink {
  const { timeoutMs = TIMEOUT_MS } = deps;
  return async (link, stop) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([stop, timeout]);
    const explained = (error: unknown, late = noResponse(timeoutMs)): unknown => {
      if (error instanceof Refusal || stop.aborted) return error;
      if (timeout.aborted) return failed(late);
      return error instanceof Error ? failed(failureOf(error, timeoutMs)) : error;
    };
    const incomplete = `The file did not arrive within ${timeoutMs / 1000} s.`;
    try {
      const { response, url } = await follow(deps, link, signal);
      return {
        filename: filenameOf(response, url),
        bytes: bytesOf(response, deps.maxBytes, (error) => explained(error, incomplete)),
        close: () => response.destroy(),
      };
    } catch (error) {
      throw explained(error);
    }
  };
}

async function follow(
  { checkDestination, userAgent, ca }: LinkDownloadDeps,
  { url: link, isTest }: Link,
  signal: AbortSignal,
): Promise<{ response: IncomingMessage; url: URL }> {
  let next = link;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const destination = await abortable(checkDestination(next, { isTest, kind: "link" }), signal);
    if ("rejection" in destination) throw refused("link_rejected", destination.rejection);
    const headers = { "user-agent": userAgent, accept: "*/*", "accept-encoding": "identity" };
    const request = requestTo(destination, { method: "GET", headers, signal, ca });
    request.end();
    const response = await responseTo(request);
    const { statusCode = 0, headers: received } = response;
    if (!REDIRECTS.has(statusCode) || received.location === undefined) {
      if (statusCode === 200) return { response, url: destination.url };
      response.destroy();
      throw failed(`The server answered ${statusCode}.`);
    }
    response.destroy();
    if (!URL.canParse(received.location, destination.url.href))
      throw failed("The server redirects to no valid URL.");
    next = new URL(received.location, destination.url).href.replace(/#.*$/, "");
  }
  throw failed(`The server redirects more than ${MAX_REDIRECTS} times.`);
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", reject);
    // Not always with an error: status 101 (Switching Protocols) is no response.
    request.on("close", () => reject(failed(CONNECTION_CLOSED)));
  });
}

async function* bytesOf(
  response: IncomingMessage,
  maxBytes: number,
  explained: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    let count = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      count += chunk.byteLength;
      if (count > maxBytes) {
        const limit = `${maxBytes.toLocaleString("en")} bytes`;
        throw new Refusal("payload_too_large", `The file is larger than the limit of ${limit}.`);
      }
      yield chunk;
    }
  } catch (error) {
    throw explained(error);
  } finally {
    response.destroy();
  }
}

/** From the response, or the last part of the path. */
function filenameOf({ headers }: IncomingMessage, url: URL): string {
  const disposition = headers["content-disposition"] ?? "";
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="([^"]+)"|filename=([^;\s]+)/i.exec(disposition);
  const named = (encoded && decoded(encoded)) || plain?.[1] || plain?.[2];
  return named ?? (decoded(url.pathname.split("/").at(-1) ?? "") || url.hostname);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const failed = (why: string) => refused("link_failed", why);

function refused(code: "link_rejected" | "link_failed", message: string): Refusal {
  return new Refusal(code, message, { errors: [{ pointer: "/url", message }] });
}
