/**
 * Reads the files of a multipart/form-data request as streams.
 *
 * Errors of the form become refusals; fields other than the file are ignored.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import multipart, { type Multipart, type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal, wrongValue } from "../base/refusal.ts";

export type UploadedFile = {
  /** From the client; untrusted. */
  filename: string;
  /** Throws when the rest of the request is invalid or does not arrive. */
  bytes: AsyncIterable<Uint8Array>;
};

const FIELD = "file";
/** Boundaries and part headers around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
export const LIMITS = {
  files: 11,
  fields: 10,
  parts: 20,
  fieldSize: 1024,
  headerPairs: 20,
  fileSize: Infinity,
};

/** Routes of this scope accept multipart/form-data only. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
  scope.addContentTypeParser("*", (_request, _payload, done) => done(notMultipart()));
}

/** `maxBytes` is the limit of each file. A file must be read to its end before the next. */
export async function* readFiles(
  request: FastifyRequest,
  { maxBytes, maxFiles }: { maxBytes: number; maxFiles: number },
  signal: AbortSignal,
): AsyncGenerator<UploadedFile> {
  if (!request.isMultipart()) throw notMultipart();
  if (Number(request.headers["content-length"] ?? 0) > maxFiles * (maxBytes + FORM_OVERHEAD_BYTES))
    throw tooLarge(maxBytes);
  const parts = request.parts();
  let count = 0;
  for (let part = await next(parts); part; part = await next(parts)) {
    if (part.type !== "file") continue;
    const fault =
      part.fieldname !== FIELD ? WRONG_FIELD : ++count > maxFiles ? tooManyFiles(maxFiles) : undefined;
    if (fault !== undefined) {
      part.file.destroy();
      throw wrongValue(`/${FIELD}`, fault);
    }
    yield { filename: part.filename, bytes: bytesOf(part, maxBytes, signal) };
  }
  if (count === 0) throw wrongValue(`/${FIELD}`, `The form has no file in a field named "${FIELD}".`);
}

const WRONG_FIELD = `The file must be in a field named "${FIELD}".`;

function tooManyFiles(maxFiles: number): string {
  if (maxFiles > 1) return `The form has more than ${maxFiles} files.`;
  return "The form has several files. Send one file per request.";
}

/** The only file of a form. */
export async function* readFile(
  request: FastifyRequest,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of readFiles(request, { maxBytes, maxFiles: 1 }, signal)) yield* bytes;
}

/** The body of a request that is streamed as it is. */
export async function* plainBytes(
  { body, headers }: FastifyRequest,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stream = (body as Readable | undefined) ?? Readable.from([]); // Fastify leaves an empty body undefined
  const stop = () => stream.destroy(signal.reason);
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    let count = 0;
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      count += chunk.byteLength;
      if (count > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Bytes discarded after a refusal, as a multiple of the upload limit. */
const DISCARD_FACTOR = 10;

/**
 * After a refusal the client may still be sending, and many read the response only when they are done. The rest of the
 * body is discarded; closing the connection would discard the response with it.
 */
export function drainBody(raw: IncomingMessage, maxUploadBytes: number): void {
  if (raw.complete && raw.readableLength === 0) return;
  let discarded = 0;
  raw.unpipe();
  raw.on("data", (chunk: Uint8Array) => {
    discarded += chunk.byteLength;
    if (discarded > DISCARD_FACTOR * maxUploadBytes) raw.socket.destroy();
  });
  raw.resume();
}

async function* bytesOf(
  { file }: MultipartFile,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stop = () => file.destroy(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    let count = 0;
    for await (const chunk of file as AsyncIterable<Uint8Array>) {
      count += chunk.byteLength;
      if (count > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw refusalOf(error);
  } finally {
    signal.removeEventListener("abort", stop);
    file.destroy();
  }
}

async function next(parts: AsyncIterator<Multipart>): Promise<Multipart | undefined> {
  try {
    const { value, done } = await parts.next();
    return done ? undefined : value;
  } catch (error) {
    throw refusalOf(error);
  }
}

const FORM_ERRORS: Readonly<Record<string, () => Refusal>> = {
  FST_FILES_LIMIT: () => wrongValue(`/${FIELD}`, "The form has too many files."),
  FST_FIELDS_LIMIT: () => wrongValue("", "The form has too many fields."),
  FST_PARTS_LIMIT: () => wrongValue("", "The form has too many parts."),
};

const CLIENT_DISCONNECTED = "FST_MP_PREMATURE_CLOSE";

function refusalOf(error: unknown): unknown {
  const { code = "" } = error as { code?: string };
  if (error instanceof Refusal || code === CLIENT_DISCONNECTED) return error;
  return (
    FORM_ERRORS[code]?.() ?? new Refusal("malformed_request", "The body is not valid multipart/form-data.")
  );
}

function notMultipart(): Refusal {
  return new Refusal(
    "unsupported_media_type",
    `Send the file as multipart/form-data in a field named "${FIELD}".`,
  );
}

export function tooLarge(maxBytes: number): Refusal {
  const detail = `The file is larger than the limit of ${maxBytes.toLocaleString("en")} bytes.`;
  return new Refusal("payload_too_large", detail);
}
