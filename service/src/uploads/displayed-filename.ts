/** What an upload is called. The name is shown and never used as a path, so only what confuses people is taken out. */

const MAX_CHARS = 255;
const NAMELESS = "upload.csv";
/** Controls, and marks that turn the direction of writing around: exe.csv must not look like vsc.exe. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function displayedFilename(filename: string | undefined): string {
  const lastPart = (filename ?? "").replaceAll(UNSEEN, "").split(/[\\/]/).at(-1) ?? "";
  const shown = Array.from(lastPart.trim()).slice(0, MAX_CHARS).join("").trim();
  return shown === "" || shown === "." || shown === ".." ? NAMELESS : shown;
}
