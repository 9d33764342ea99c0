/**
 * The note beside a list of names: when it was made, from what, and the hash that proves it whole.
 *
 * The manifest points at its list, and lists are never written over. So replacing the manifest is the one
 * moment at which a new list comes into use, and whoever is interrupted before leaves the old one in force.
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

/** The manifest in a directory (its URL ends in a slash), or undefined where there is none to be read. */
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

/** The names describeList gives: never a path out of the directory, never the packaged list. */
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
