/**
 * The manifest of a domain list: date, sources, and a hash of the content.
 *
 * The manifest points to its list file, and list files are never overwritten. Replacing the manifest is thus the
 * atomic switch to a new list; an interrupted refresh leaves the old one in use.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export type ListManifest = {
  readonly madeAt: string;
  readonly file: string;
  readonly names: number;
  readonly sha256: string;
  readonly sources: readonly { readonly from: string; readonly names: number }[];
};

/** The manifest in a directory (its URL ends in a slash), or undefined if there is none or it is invalid. */
export function readListManifest(directory: URL): ListManifest | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL(MANIFEST_FILE, directory), "utf8"));
    return isListManifest(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

export function describeList(bytes: Uint8Array): Pick<ListManifest, "file" | "sha256"> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { file: `disposable-domains.${sha256.slice(0, 16)}.txt`, sha256 };
}

export const MANIFEST_FILE = "disposable-domains.json";

/** The file names of describeList: never a path out of the directory, never the packaged list. */
export const REFRESHED_FILE_NAME = /^disposable-domains\.[0-9a-f]{16}\.txt$/;

const PACKAGED_FILE_NAME = "disposable-domains.txt";

function isListManifest(value: unknown): value is ListManifest {
  if (typeof value !== "object" || value === null) return false;
  const { madeAt, file, names, sha256, sources } = value as Record<string, unknown>;
  return (
    typeof madeAt === "string" &&
    Number.isFinite(Date.parse(madeAt)) &&
    typeof file === "string" &&
    (file === PACKAGED_FILE_NAME || REFRESHED_FILE_NAME.test(file)) &&
    typeof names === "number" &&
    typeof sha256 === "string" &&
    Array.isArray(sources)
  );
}
