/**
 * A file as the body of a request: the form field `file`, streamed. A Blob can be sent again and travels with its
 * length; any other stream is used up by being sent.
 */
import { onceKey } from "./once-key.ts";

export type UploadFile =
  | Blob
  | { name: string; content: Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> };

export type UploadBody = {
  isRepeatable: boolean;
  /** How long it may take to send, beyond the time of an answer; streams start their time again with every piece. */
  extraMs: number;
  open(onPiece: () => void): UploadInit;
};

type UploadInit = {
  body: BodyInit;
  headers?: Record<string, string>;
  duplex?: "half";
  redirect: "error";
  window: null;
};

/**
 * Node keeps a copy of everything that is sent, for the case that it has to be sent again to another address. Only
 * these two together say that it will not be.
 */
const SENT_ONCE = { redirect: "error", window: null } as const;

/** Slower lines than this are given up. */
const SLOWEST_BYTES_PER_MS = 16;

export function uploadBody(file: UploadFile): UploadBody {
  const { name, content } = file instanceof Blob ? { name: nameOf(file), content: file } : file;
  if (content instanceof Blob) {
    const form = new FormData();
    form.append("file", content, name);
    return {
      isRepeatable: true,
      extraMs: content.size / SLOWEST_BYTES_PER_MS,
      open: () => ({ body: form, ...SENT_ONCE }),
    };
  }
  const boundary = `mailvet-${onceKey()}`;
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return {
    isRepeatable: false,
    extraMs: 0,
    open: (onPiece) => ({
      body: streamOf(formPieces(boundary, name, piecesOf(content)), onPiece),
      headers,
      duplex: "half",
      ...SENT_ONCE,
    }),
  };
}

function nameOf(file: Blob): string {
  return "name" in file && typeof file.name === "string" ? file.name : "list.csv";
}

/** The form as FormData would write it (RFC 7578), without knowing its length. */
async function* formPieces(
  boundary: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const quoted = name.replace(/[\r\n"]/g, encodeURIComponent);
  const head = `content-disposition: form-data; name="file"; filename="${quoted}"\r\ncontent-type: text/csv\r\n`;
  const encoder = new TextEncoder();
  yield encoder.encode(`--${boundary}\r\n${head}\r\n`);
  yield* content;
  yield encoder.encode(`\r\n--${boundary}--\r\n`);
}

/** Not every browser can iterate over a stream yet. */
async function* piecesOf(
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

function streamOf(pieces: AsyncGenerator<Uint8Array>, onPiece: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      onPiece();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
