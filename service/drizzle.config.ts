import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./src/db/*schema.ts", "./src/**/schema.ts"],
  out: "./migrations",
  casing: "snake_case",
});
