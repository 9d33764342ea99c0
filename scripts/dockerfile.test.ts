import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const { version, workspaces } = JSON.parse(read("package.json")) as { version: string; workspaces: string[] };

test("the Dockerfile copies the manifest of every workspace before it installs", () => {
  const copied = [...read("Dockerfile").matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)].map(
    ([, name]) => name,
  );
  expect(copied).toEqual(workspaces);
});

test(".nvmrc, README and quick starts name the Node of the image", () => {
  const [, major] = /node:(\d+)-/.exec(read("Dockerfile")) ?? [];
  expect(read(".nvmrc")).toBe(`${major}\n`);
  for (const page of ["README.md", "CONTRIBUTING.md", "docs/start-developer.md", "docs/deploying.md"])
    expect(read(page), page).toContain(`Node ${major}`);
});

test("image and chart have the version of the release", () => {
  expect(read("Dockerfile")).toContain(`ARG VERSION=${version}\n`);
  const chart = read("deploy/helm/mailvet/Chart.yaml");
  expect(chart).toContain(`\nversion: ${version}\n`);
  expect(chart).toContain(`\nappVersion: "${version}"\n`);
});

test("every secret of compose.yaml is made by make-secrets.sh", () => {
  const used = [...read("compose.yaml").matchAll(/file: secrets\/(\w+)/g)].map(([, name]) => name);
  const made = [...read("deploy/docker/make-secrets.sh").matchAll(/^write (\w+) /gm)].map(([, name]) => name);
  expect(used).toEqual(made);
});

test("image, settings and compose.yaml have the same major of PostgreSQL, and Debian's release of one name", () => {
  const [, major] = /install .* postgresql-(\d+)/.exec(read("Dockerfile")) ?? [];
  expect(read("deploy/docker/defaults.env")).toContain(`\nPOSTGRES_BIN=/usr/lib/postgresql/${major}/bin\n`);
  const [, composeMajor, debian] = /image: postgres:(\d+)-(\w+)/.exec(read("compose.yaml")) ?? [];
  expect(composeMajor).toBe(major);
  expect(read("Dockerfile").match(/(\w+)-slim$/gm)).toEqual([`${debian}-slim`, `${debian}-slim`]);
});
