/**
 * The bytes of the text itself: gzip is recognised by its first bytes and unpacked on the way.
 *
 * No more than `maxTextBytes` ever come out, and a file that unpacks to far more than text can is refused early.
 */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ListFileError } from "./list-file-error.ts";
import { PIECE_BYTES, piecesOf } from "./rechunk.ts";

// Repetitive tables reach 50 : 1, deflate itself ends at 1032 : 1.
const MAX_RATIO = 200;
const RATIO_MATTERS_FROM_BYTES = 8 * 1024 * 1024;

export async function* unpacked(
  bytes: AsyncIterable<Uint8Array>,
  maxTextBytes: number,
): AsyncGenerator<Uint8Array> {
  const pieces = piecesOf(bytes);
  let textBytes = 0;
  try {
    const first = await pieces.next();
    if (first.done) return;
    const packed = startingWith([first.value], pieces);
    if (isGzip(first.value)) {
      yield* piecesOf(gunzipped(packed, maxTextBytes));
      return;
    }
    for await (const piece of packed) {
      textBytes += piece.length;
      if (textBytes > maxTextBytes) throw tooLarge(maxTextBytes);
      yield piece;
    }
  } finally {
    pieces.return(undefined).catch(() => {}); // not awaited: a slow sender must not hold us
  }
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

export async function* startingWith<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

async function* gunzipped(
  pieces: AsyncIterable<Uint8Array>,
  maxTextBytes: number,
): AsyncGenerator<Uint8Array> {
  let packedBytes = 0;
  let textBytes = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      packedBytes += piece.length;
      yield piece;
    }
  };
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  // Its failure destroys gunzip as well, and is met below.
  pipeline(Readable.from(counted()), gunzip).catch(() => {});
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      textBytes += chunk.length;
      if (textBytes > maxTextBytes) throw bomb(`more than ${megabytes(maxTextBytes)}`);
      if (textBytes > RATIO_MATTERS_FROM_BYTES && textBytes > MAX_RATIO * packedBytes)
        throw bomb(`more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
  } catch (error) {
    if (isZlibError(error))
      throw new ListFileError("undecodable_file", "The gzip file is damaged or ends too early.");
    throw error;
  }
}

function bomb(much: string): ListFileError {
  return new ListFileError("compression_bomb", `The gzip file unpacks to ${much}.`);
}

function tooLarge(limit: number): ListFileError {
  return new ListFileError("payload_too_large", `The file is larger than ${megabytes(limit)}.`, { limit });
}

function megabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / 1024 / 1024)} MiB`;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
