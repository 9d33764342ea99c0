/**
 * Blobs as objects of a bucket in an S3-compatible object storage.
 *
 * aws4fetch signs the requests and repeats them after 429 and 5xx; the rest is four operations of the S3 API.
 */
import { createHash } from "node:crypto";
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
};

type S3Request = {
  method: "GET" | "PUT" | "DELETE";
  path: string;
  query?: Record<string, string>;
  body?: Uint8Array;
};

/** Of a request with its repetitions. */
const TIMEOUT_MS = 60_000;
const RETRIES = 4;
/** A connection that was idle may just have been closed by the server. */
const CONNECTION_ATTEMPTS = 3;
const MAX_ERROR_CHARS = 300;

export function createS3Store(settings: S3Settings): BlobStore {
  const { accessKeyId, secretAccessKey, region } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES });
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
      redirect: "error",
      ...(body ? { body } : {}),
    } as const;
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      } catch (error) {
        if (attempt === CONNECTION_ATTEMPTS || (error as Error).name === "TimeoutError") throw error;
      }
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
