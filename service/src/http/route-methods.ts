/** Methods of every path, to distinguish 405 from 404. */
import type { FastifyInstance } from "fastify";
import type { Access } from "./route-config.ts";

export type RouteMethods = {
  /** Undefined when no route matches the path. */
  at(path: string): readonly string[] | undefined;
  /** Whether the path has routes of its own, which a path with an id must not stand in for: /keys/options is no key. */
  has(path: string): boolean;
};

/** Tracks every route that is registered from now on. */
export function trackRouteMethods(app: FastifyInstance): RouteMethods {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    const methods = methodsOf.get(url) ?? new Set(["OPTIONS"]);
    for (const one of [method].flat()) {
      if (!(one === "HEAD" && spendsCredits(config?.access))) methods.add(one);
    }
    methodsOf.set(url, methods);
  });
  return {
    at(path) {
      const own = methodsOf.get(path);
      if (own) return [...own].sort();
      for (const [pattern, methods] of methodsOf) if (matches(pattern, path)) return [...methods].sort();
      return undefined;
    },
    has: (path) => methodsOf.has(path),
  };
}

/** HEAD would cost a credit and return nothing, so these routes do not have it. */
export function spendsCredits(access: Access | undefined): boolean {
  return typeof access === "object" && "scope" in access && access.scope !== "read";
}

/** Whether a path matches a pattern such as /keys/:key_id. */
function matches(pattern: string, path: string): boolean {
  const segments = pattern.split("/");
  const given = path.split("/", segments.length + 1);
  return (
    segments.length === given.length &&
    segments.every((part, n) => (part.startsWith(":") ? given[n] !== "" : part === given[n]))
  );
}
