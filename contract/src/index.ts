export * from "./verdict.ts";
