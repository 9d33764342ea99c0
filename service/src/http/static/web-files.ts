/**
 * The files of the built web app, in memory by URL path.
 *
 * They are few and small. Lookup by exact path rules out path traversal, and a rebuild does not affect a running service.
 * A file is compressed on first demand, off the event loop. Why not @fastify/static:
 * docs/decisions/0009-web-files-from-memory.md.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import {
  acceptedEncoding,
  type ContentEncoding,
  compressed,
  isText,
  MIN_COMPRESSED_BYTES,
} from "./content-encoding.ts";

export type WebFile = {
  contentType: string;
  /** Weak, because it is the same for every encoding. */
  etag: string;
  /** In the preferred encoding that Accept-Encoding allows. */
  encodedFor(
    acceptEncoding: string | undefined,
  ): Promise<{ body: Buffer; encoding: ContentEncoding | undefined }>;
  plain: Buffer;
};

/** Path, such as /assets/index-1a2b.js → file. Undefined when the web app has not been built. */
export function readWebFiles(directory: string): Map<string, WebFile> | undefined {
  if (!existsSync(join(directory, "index.html"))) return undefined;
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(directory, path).split(sep).join("/")}`;
    files.set(name, webFile(name, readFileSync(path)));
  }
  return files;
}

/** By extension. Others are application/octet-stream. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
};

export function webFile(name: string, plain: Buffer): WebFile {
  const contentType = CONTENT_TYPES[extname(name)] ?? "application/octet-stream";
  const isCompressible = isText(contentType) && plain.length >= MIN_COMPRESSED_BYTES;
  const compressedBodies = new Map<ContentEncoding, Promise<Buffer>>();
  return {
    contentType,
    etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    plain,
    async encodedFor(acceptEncoding) {
      const encoding = isCompressible ? acceptedEncoding(acceptEncoding) : undefined;
      if (!encoding) return { body: plain, encoding };
      const body = compressedBodies.get(encoding) ?? compressed(plain, encoding);
      compressedBodies.set(encoding, body);
      return { body: await body, encoding };
    },
  };
}
