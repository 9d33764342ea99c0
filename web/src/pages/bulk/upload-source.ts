/** Where a list comes from, and how it is sent. Kept in memory so that another sheet of the same file can be read. */
import type { UploadPreview } from "@mailvet/contract";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";

export type UploadSource = { files: readonly File[] } | { url: string };

export type SourceOptions = { sheet?: string | undefined; signal?: AbortSignal | undefined };

/** The service checks up to ten times the emails of a file as one job. */
export function sendSource(source: UploadSource, options: SourceOptions): Promise<UploadPreview> {
  if ("url" in source) return service.jobs.uploadLink(source.url, { split: true, ...options });
  const [first] = source.files;
  const files = source.files.length === 1 ? first! : source.files;
  return service.jobs.upload(files, { split: true, ...options });
}

export function nameOf(source: UploadSource): string {
  if ("url" in source) return source.url;
  const [first, ...more] = source.files;
  return more.length === 0 ? first!.name : messages.upload.severalNames(first!.name, more.length);
}
