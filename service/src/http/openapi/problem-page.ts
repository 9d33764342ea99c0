/**
 * /docs/problems: all problem codes, and a page for each: cause, fix, an example, and the endpoints that return it. The
 * `type` of a problem links to its page. Generated from the tables in code and the registered routes.
 */
import { API_PREFIX, PROBLEM_CODES, PROBLEMS, type ProblemCode, problemTypeOf } from "@mailvet/contract";
import type { RouteOptions } from "fastify";
import { escapeHtml } from "../../base/escape-html.ts";
import type { DocsPage } from "../static/docs-layout.ts";
import { problemsOfRoute } from "./openapi.ts";
import { PROBLEM_HELP } from "./problem-help.ts";
import { problemExample } from "./resource-examples.ts";

export function problemPages(routes: readonly RouteOptions[]): {
  index: DocsPage;
  of: ReadonlyMap<string, DocsPage>;
} {
  const returnedBy = endpointsByCode(routes);
  return {
    index: indexPage(),
    of: new Map(PROBLEM_CODES.map((code) => [code, pageOf(code, returnedBy.get(code) ?? [], routes.length)])),
  };
}

type Endpoint = { method: string; path: string; summary: string; tag: string };

function endpointsByCode(routes: readonly RouteOptions[]): Map<ProblemCode, Endpoint[]> {
  const found = new Map<ProblemCode, Endpoint[]>();
  for (const route of routes) {
    const { summary = "", tags: [tag = ""] = [] } = (route.schema ?? {}) as {
      summary?: string;
      tags?: string[];
    };
    const path = route.url.slice(API_PREFIX.length).replaceAll(/:(\w+)/g, "{$1}");
    const endpoint = { method: String(route.method), path, summary, tag };
    for (const code of [...problemsOfRoute(route).values()].flat())
      found.set(code, [...(found.get(code) ?? []), endpoint]);
  }
  return found;
}

function indexPage(): DocsPage {
  const rows = PROBLEM_CODES.map((code) => {
    const [status, title] = PROBLEMS[code];
    // The id keeps links to /docs/problems#code working.
    return `<tr id="${code}"><td>${status}</td><td><a href="${problemTypeOf(code)}"><code>${code}</code></a><span class="meaning">${escapeHtml(title)}</span></td></tr>`;
  });
  return {
    title: "Problems · Mailvet API",
    description: "Every error of the Mailvet API: its code, its cause, and what to do.",
    body: columns(
      undefined,
      `<h1>Problems</h1>
<p>Every error is a problem document (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>) with a stable
<code>code</code>, and <code>type</code> is the address of its page. A problem never costs a credit, and a verdict is never a
problem.</p>
<div class="table" role="region" aria-label="Problem codes" tabindex="0"><table>
<thead><tr><th>Status</th><th>Code and meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`,
    ),
  };
}

function pageOf(code: ProblemCode, endpoints: readonly Endpoint[], routeCount: number): DocsPage {
  const [status, title] = PROBLEMS[code];
  const { cause, fix } = PROBLEM_HELP[code];
  const example = JSON.stringify(problemExample(code), undefined, 2);
  return {
    title: `${code} · Mailvet API`,
    description: escapeHtml(cause),
    body: columns(
      code,
      `<h1 id="${code}">${escapeHtml(title)}</h1>
<p><code>${code}</code> · HTTP ${status}</p>
<h2>Cause</h2>
<p>${escapeHtml(cause)}</p>
<h2>Fix</h2>
<p>${escapeHtml(fix)}</p>
<h2>Example</h2>
<div class="code"><pre tabindex="0"><code data-language="json">${escapeHtml(example)}</code></pre></div>
<h2>Returned by</h2>
${returnedBy(endpoints, routeCount)}`,
    ),
  };
}

function returnedBy(endpoints: readonly Endpoint[], routeCount: number): string {
  if (endpoints.length === 0) return "<p>Requests that reach no endpoint, such as an unknown path.</p>";
  if (endpoints.length === routeCount) return "<p>Every endpoint.</p>";
  const items = endpoints.map(
    ({ method, path, summary, tag }) =>
      `<li><a href="/docs#tag/${tag}/${method}${path}"><code>${method} ${path}</code></a> ${escapeHtml(summary)}</li>`,
  );
  return `<ul>${items.join("\n")}</ul>`;
}

function columns(current: ProblemCode | undefined, article: string): string {
  return `<div class="columns">
<details class="menu"><summary>All problems</summary>${navigation(current)}</details>
<nav class="side" aria-label="Problems">${navigation(current)}</nav>
<main id="main" tabindex="-1">
<article class="problem">
${article}
</article>
</main>
</div>`;
}

function navigation(current: ProblemCode | undefined): string {
  const statuses = [...new Set(PROBLEM_CODES.map((code) => PROBLEMS[code][0]))];
  const link = (code: ProblemCode) =>
    `<li><a href="${problemTypeOf(code)}"${code === current ? ' aria-current="page"' : ""}>${code}</a></li>`;
  return statuses
    .map((status) => {
      const codes = PROBLEM_CODES.filter((code) => PROBLEMS[code][0] === status);
      return `<p class="section">${status}</p>\n<ul>${codes.map(link).join("")}</ul>`;
    })
    .join("\n");
}
