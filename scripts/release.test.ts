import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cutChangelog, nextVersion, OTHER_VERSIONS, withVersion, withVersionAfter } from "./release.mjs";

const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the changelog keeps an empty Unreleased above the version with what was in it", () => {
  const text = "# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n## 0.1.0 - 2026-01-01\n\n- Older.\n";
  const cut = cutChangelog(text, "0.2.0", "2026-11-16");
  expect(cut.text).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-16\n\n### Added\n\n- One.\n\n## 0.1.0 - 2026-01-01\n\n- Older.\n",
  );
  expect(cut.notes).toBe("### Added\n\n- One.\n");
  expect(() => cutChangelog(cut.text, "0.3.0", "2026-12-01")).toThrow("nothing under Unreleased");
});

test("a version is that of a package and of every workspace that it depends on", () => {
  const manifest = {
    name: "mailvet",
    version: "0.1.0",
    dependencies: { "@mailvet/engine": "0.1.0", commander: "0.1.0" },
  };
  expect(withVersion(manifest, "0.2.0", ["mailvet", "@mailvet/engine"])).toEqual({
    name: "mailvet",
    version: "0.2.0",
    dependencies: { "@mailvet/engine": "0.2.0", commander: "0.1.0" },
  });
});

test("without a version given, the present one is released, or the next minor one after it", () => {
  expect(nextVersion("0.2.0", false)).toBe("0.2.0");
  expect(nextVersion("0.2.3", true)).toBe("0.3.0");
});

test("all workspaces have the same version, also in the lock file", () => {
  const root = JSON.parse(textOf("package.json"));
  const lock = JSON.parse(textOf("package-lock.json"));
  const folders: string[] = ["", ...root.workspaces];
  const names = folders.map((folder) => JSON.parse(textOf(`${folder || "."}/package.json`)).name);
  for (const folder of folders) {
    const manifest = JSON.parse(textOf(`${folder || "."}/package.json`));
    expect(withVersion(manifest, root.version, names)).toEqual(manifest);
    expect(withVersion(lock.packages[folder], root.version, names)).toEqual(lock.packages[folder]);
  }
});

test("image, chart, n8n node, Python SDK and examples have the version of the workspaces, each at one place", () => {
  const { version } = JSON.parse(textOf("package.json"));
  for (const { path, before } of OTHER_VERSIONS) {
    const text = textOf(path);
    expect(withVersionAfter(text, before, version), path).toBe(text);
    const next = withVersionAfter(text, before, "10.20.30");
    expect(next.split("10.20.30"), path).toHaveLength(2);
    expect(withVersionAfter(next, before, version), path).toBe(text);
  }
});

test("only the version at the given place is replaced", () => {
  const text = 'version = "0.2.0"\nrequires = ["other==0.2.0"]\n';
  expect(withVersionAfter(text, /^version = "/m, "0.3.0")).toBe(
    'version = "0.3.0"\nrequires = ["other==0.2.0"]\n',
  );
  expect(() => withVersionAfter(text, /^appVersion: /m, "0.3.0")).toThrow("0 places");
});
