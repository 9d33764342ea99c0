/**
 * The one file of a multipart/form-data request, handed on while it arrives.
 *
 * Everything that can be wrong with the form is said in our words; other fields of it are ignored.
 */
import type { IncomingMessage } from "node:http";
import multipart, { type Multipart, type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal, wrongValue } from "../../refusal.ts";

export type SentFile = {
  /** As the sender says; not to be believed. */
  filename: string;
  /** Throws when the rest of the request is not as it should be, or does not come. */
  bytes: AsyncIterable<Uint8Array>;
};

const FIELD = "file";
/** The boundaries and headers around a file. */
const FORM_BYTES = 64 * 1024;
export const LIMITS = {
  files: 1,
  fields: 10,
  parts: 20,
  fieldSize: 1024,
  headerPairs: 20,
  fileSize: Infinity,
};

/** Lets the routes of this scope take forms, and nothing else. */
export async function takeForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
  scope.addContentTypeParser("*", (_request, _payload, done) => done(notAForm()));
}

export async function fileOf(
  request: FastifyRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<SentFile> {
  if (!request.isMultipart()) throw notAForm();
  if (Number(request.headers["content-length"] ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
  const parts = request.parts();
  for (;;) {
    const part = await next(parts);
    if (!part) throw wrongValue(`/${FIELD}`, `The form has no file in a field named "${FIELD}".`);
    if (part.type !== "file") continue;
    if (part.fieldname !== FIELD) {
      part.file.destroy();
      throw wrongValue(`/${FIELD}`, `The file must be in a field named "${FIELD}".`);
    }
    return { filename: part.filename, bytes: bytesOf(part, parts, maxBytes, signal) };
  }
}

/** What passes unread after a refusal, in times of what may be sent. */
const REFUSED_TIMES = 10;

/**
 * After a refusal the sender may still be sending, and many only listen when they are done. What they send passes
 * unread; hanging up on them would take the answer away with it.
 */
export function letTheRestPass(raw: IncomingMessage, maxUploadBytes: number): void {
  if (raw.complete && raw.readableLength === 0) return;
  let passed = 0;
  raw.unpipe();
  raw.on("data", (chunk: Uint8Array) => {
    passed += chunk.byteLength;
    if (passed > REFUSED_TIMES * maxUploadBytes) raw.socket.destroy();
  });
  raw.resume();
}

async function* bytesOf(
  { file }: MultipartFile,
  parts: AsyncIterator<Multipart>,
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
    while (await next(parts)); // to the end: there may be a second file, and then it is not clear which was meant
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

const FORM_TROUBLE: Readonly<Record<string, () => Refusal>> = {
  FST_FILES_LIMIT: () => wrongValue(`/${FIELD}`, "The form has several files; send them one by one."),
  FST_FIELDS_LIMIT: () => wrongValue("", "The form has too many fields."),
  FST_PARTS_LIMIT: () => wrongValue("", "The form has too many parts."),
};

/** The sender hung up: nobody is there to be told. */
const HUNG_UP = "FST_MP_PREMATURE_CLOSE";

function refusalOf(error: unknown): unknown {
  const { code = "" } = error as { code?: string };
  if (error instanceof Refusal || code === HUNG_UP) return error;
  return (
    FORM_TROUBLE[code]?.() ??
    new Refusal("malformed_request", "The body is not well-formed multipart/form-data.")
  );
}

function notAForm(): Refusal {
  return new Refusal(
    "unsupported_media_type",
    `The file must be sent as multipart/form-data, in a field named "${FIELD}".`,
  );
}

export function tooLarge(maxBytes: number): Refusal {
  const detail = `The file is larger than the ${maxBytes.toLocaleString("en")} bytes that are taken here.`;
  return new Refusal("payload_too_large", detail);
}
