/** Stands in for the package n8n-workflow, which has hundreds of dependencies: what the n8n node uses of it at run time. */
export const NodeConnectionTypes = { Main: "main" } as const;

export class NodeApiError extends Error {
  override readonly name = "NodeApiError";

  constructor(_node: unknown, error: { message?: unknown }) {
    super(String(error.message));
  }
}
