/**
 * Blobs as objects of a bucket in an S3-compatible object storage.
 *
 * aws4fetch signs the requests; the rest is four operations of the S3 API.
 */
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { BlobStoreUnavailable, checkedKey, isBlobKey } from "./blob-error.ts";
import type { BlobStore } from "./blob-store.ts";

export type S3Settings = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The bucket is part of the path, not of the host name. */
  isPathStyle: boolean;
  /** Of a request with its repetitions. */
  timeoutMs?: number;
};

type S3Request = {
  method: "GET" | "PUT" | "DELETE";
  path: string;
  query?: Record<string, string>;
  body?: Uint8Array;
};

const TIMEOUT_MS = 60_000;
/** After 429 and 5xx. */
const RETRIES = 4;
const FIRST_PAUSE_MS = 50;
/** A connection that was idle may just have been closed by the server. */
const CONNECTION_ATTEMPTS = 3;
const MAX_ERROR_CHARS = 300;

export function createS3Store(settings: S3Settings): BlobStore {
  const { accessKeyId, secretAccessKey, region, timeoutMs = TIMEOUT_MS } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });
  const location = bucketUrl(settings);

  async function send(request: S3Request): Promise<Response> {
    const { method, path, query = {}, body } = request;
    const url = `${location}/${path}${path === "" ? `?${new URLSearchParams(query)}` : ""}`;
    const init = {
      method,
      headers: {
        "x-amz-content-sha256": createHash("sha256")
          .update(body ?? "")
          .digest("hex"),
      },
      redirect: "manual", // with "error", Node 20 loses the signal after the headers when garbage is collected
      ...(body ? { body } : {}),
    } as const;
    const signal = AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        // Not client.fetch: the signal has no effect once the request that it makes is collected as garbage.
        const response = await fetch(await client.sign(url, init), { signal });
        const isBusy = response.status === 429 || response.status >= 500;
        if (!isBusy || attempt > RETRIES) return response;
        await response.body?.cancel();
      } catch (error) {
        if (attempt === CONNECTION_ATTEMPTS || signal.aborted) throw error;
      }
      await pause(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
    }
  }

  /** Undefined: 404. A missing bucket is an error. */
  async function bytesOf(request: S3Request): Promise<Buffer | undefined> {
    try {
      const response = await send(request);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok) return bytes;
      const text = bytes.toString("utf8");
      if (response.status === 404 && !text.includes("NoSuchBucket")) return undefined;
      throw new Error(`${request.method} answered ${response.status} ${text.slice(0, MAX_ERROR_CHARS)}`);
    } catch (error) {
      throw new BlobStoreUnavailable(location, error);
    }
  }

  return {
    location,
    async put(key, bytes) {
      const answer = await bytesOf({ method: "PUT", path: checkedKey(key), body: bytes });
      if (!answer) throw new BlobStoreUnavailable(location, new Error("PUT answered 404"));
    },
    get: async (key) => bytesOf({ method: "GET", path: checkedKey(key) }),
    async delete(key) {
      await bytesOf({ method: "DELETE", path: checkedKey(key) });
    },
    async *list(folder) {
      const prefix = `${checkedKey(folder)}/`;
      let marker = "";
      for (;;) {
        // ListObjects, not V2: the next page begins after a key, which every server supports, instead of at a token.
        const page =
          (await bytesOf({ method: "GET", path: "", query: { prefix, marker } }))?.toString("utf8") ?? "";
        const objects = [...page.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, object = ""]) => object);
        for (const object of objects) {
          const key = elementIn(object, "Key") ?? "";
          // Objects with other names are not ours.
          if (isBlobKey(key)) yield { key, modifiedAt: new Date(elementIn(object, "LastModified") ?? 0) };
        }
        const last = elementIn(objects.at(-1) ?? "", "Key");
        if (last === undefined || elementIn(page, "IsTruncated") !== "true") return;
        if (last <= marker) throw new BlobStoreUnavailable(location, new Error("a listing does not advance"));
        marker = last;
      }
    },
  };
}

function bucketUrl({ endpoint, bucket, isPathStyle }: S3Settings): string {
  const url = new URL(endpoint);
  if (isPathStyle) return `${url.origin}${url.pathname.replace(/\/+$/, "")}/${bucket}`;
  return `${url.protocol}//${bucket}.${url.host}`;
}

/** Without entities: our own keys have no character that XML escapes. */
function elementIn(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}
