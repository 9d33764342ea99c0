/**
 * A file as a multipart request body (form field `file`), streamed. A Blob has a length and can be sent again; any
 * other stream is consumed by sending it.
 */
import { createIdempotencyKey } from "./retry.ts";

export type UploadFile =
  | Blob
  | { name: string; content: Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> };

export type UploadBody = {
  isRepeatable: boolean;
  /** Time to send it, on top of the response timeout. For streams, every chunk restarts the timeout instead. */
  extraMs: number;
  open(onChunk: () => void): UploadInit;
};

type UploadInit = {
  body: BodyInit;
  headers?: Record<string, string>;
  duplex?: "half";
  redirect: "error";
  window: null;
};

/**
 * Node's fetch buffers the whole body in case it has to follow a redirect. Only these two options together turn that
 * off.
 */
const NO_REDIRECT = { redirect: "error", window: null } as const;

/** Slower uploads time out. */
const MIN_BYTES_PER_MS = 16;

export function uploadBody(files: UploadFile | readonly UploadFile[]): UploadBody {
  if (isSeveral(files)) return formOf(files.map(blobOf));
  const file = files;
  const { name, content } = file instanceof Blob ? { name: nameOf(file), content: file } : file;
  if (content instanceof Blob) {
    return formOf([{ name, content }]);
  }
  const boundary = `mailvet-${createIdempotencyKey()}`;
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return {
    isRepeatable: false,
    extraMs: 0,
    open: (onChunk) => ({
      body: streamOf(formChunks(boundary, name, chunksOf(content)), onChunk),
      headers,
      duplex: "half",
      ...NO_REDIRECT,
    }),
  };
}

function isSeveral(files: UploadFile | readonly UploadFile[]): files is readonly UploadFile[] {
  return Array.isArray(files);
}

function blobOf(file: UploadFile): { name: string; content: Blob } {
  if (file instanceof Blob) return { name: nameOf(file), content: file };
  if (!(file.content instanceof Blob)) throw new TypeError("of several files each must be a Blob");
  return { name: file.name, content: file.content };
}

function formOf(files: readonly { name: string; content: Blob }[]): UploadBody {
  const form = new FormData();
  for (const { name, content } of files) form.append("file", content, name);
  return {
    isRepeatable: true,
    extraMs: files.reduce((sum, { content }) => sum + content.size, 0) / MIN_BYTES_PER_MS,
    open: () => ({ body: form, ...NO_REDIRECT }),
  };
}

function nameOf(file: Blob): string {
  return "name" in file && typeof file.name === "string" ? file.name : "list.csv";
}

/** Multipart form (RFC 7578) of unknown length. */
async function* formChunks(
  boundary: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const quoted = name.replace(/[\r\n"]/g, encodeURIComponent);
  const head = `content-disposition: form-data; name="file"; filename="${quoted}"\r\ncontent-type: application/octet-stream\r\n`;
  const encoder = new TextEncoder();
  yield encoder.encode(`--${boundary}\r\n${head}\r\n`);
  yield* content;
  yield encoder.encode(`\r\n--${boundary}--\r\n`);
}

/** Not every browser supports async iteration of streams. */
async function* chunksOf(
  content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (!(content instanceof ReadableStream)) return yield* content;
  const reader = content.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>, onChunk: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      onChunk();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
