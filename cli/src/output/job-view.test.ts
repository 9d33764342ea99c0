import type { UploadPreview } from "@mailvet/contract";
import { expect, test } from "vitest";
import { previewOf } from "./job-view.ts";

test("counts of one are singular", () => {
  const preview: UploadPreview = {
    upload_id: "7c6f6c0e-1d0a-4a55-9d8e-1f0e6f9d2b11",
    filename: "list.csv",
    columns: ["email"],
    suggested_email_column: "email",
    total_rows: 1,
    sample_rows: [["ann@example.com"]],
    email_count_by_column: { email: 1 },
    unique_count_by_column: { email: 1 },
    has_header: true,
    expires_at: "2026-11-16T10:00:00.000Z",
  };
  expect(previewOf(preview, "email", 5, (_, text) => text).split("\n")).toEqual([
    "list.csv: 1 row, 1 column",
    "  email  1 email  ← email column",
    "1 unique email costs 1 credit of 5",
  ]);
});
