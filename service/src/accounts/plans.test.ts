import { PLANS } from "@mailvet/contract";
import { expect, test } from "vitest";
import { createPresentAccount } from "./present-account.ts";

const account = {
  id: "0f8b7c1e-0000-4000-8000-000000000001",
  email: "ann@shop.io",
  isOperator: false,
  createdAt: new Date(0),
  balance: 0,
  reserved: 0,
  suspendedAt: null,
};

test("the limits of an account are those of its plan within those of the installation", () => {
  const present = createPresentAccount({ maxEmailsPerFile: 50_000, maxUploadBytes: 1_000_000 });
  for (const plan of PLANS) {
    const { limits } = present({ ...account, plan });
    expect(limits.emails_per_file).toBe(plan === "free" ? 1_000 : 50_000);
    expect(limits.file_bytes).toBe(1_000_000);
  }
});
