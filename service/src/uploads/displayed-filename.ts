/** File name of an upload for display. It is never used as a path, so only misleading characters are removed. */

const MAX_CHARS = 255;
const DEFAULT_NAME = "upload.csv";
/** Control characters and bidirectional overrides: exe.csv must not look like vsc.exe. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function displayedFilename(filename: string | undefined): string {
  const lastPart = (filename ?? "").replaceAll(INVISIBLE, "").split(/[\\/]/).at(-1) ?? "";
  const shown = Array.from(lastPart.trim()).slice(0, MAX_CHARS).join("").trim();
  return shown === "" || shown === "." || shown === ".." ? DEFAULT_NAME : shown;
}
