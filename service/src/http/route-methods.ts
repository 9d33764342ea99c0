/** Which methods each path has, so that the wrong method is told from the wrong path. */
import type { FastifyInstance } from "fastify";
import type { Access } from "./route-config.ts";

export type RouteMethods = {
  /** Methods of whatever route the path leads to; undefined when there is none. */
  at(path: string): readonly string[] | undefined;
};

/** Remembers every route that is registered from now on. */
export function rememberRouteMethods(app: FastifyInstance): RouteMethods {
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
      for (const [pattern, methods] of methodsOf) if (fits(pattern, path)) return [...methods].sort();
      return undefined;
    },
  };
}

/** Asking with HEAD would cost a credit and show nothing for it, so these routes do not have it. */
export function spendsCredits(access: Access | undefined): boolean {
  return typeof access === "object" && access.scope !== "read";
}

/** Whether a path is one of a route's pattern such as /keys/:key_id. */
function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/", wanted.length + 1);
  return (
    wanted.length === given.length &&
    wanted.every((part, n) => (part.startsWith(":") ? given[n] !== "" : part === given[n]))
  );
}
