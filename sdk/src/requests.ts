/** The requests that the methods of the client consist of. Each returns the document of the API. */
import { createIdempotencyKey } from "./retry.ts";
import type { ApiRequest, CallOptions, SendRequest } from "./transport.ts";

export type Requests = {
  get<T>(path: string, options?: RequestOptions): Promise<T>;
  /** A page of a list, with the number of all items. */
  page<T>(path: string, options?: RequestOptions): Promise<Page<T>>;
  /** Executed once, so it is retried where that may help. */
  post<T>(path: string, body?: object, options?: RequestOptions): Promise<T>;
  /** Without an Idempotency-Key, which the service does not honour there; never retried. */
  postUnkeyed<T>(path: string, body?: object, options?: CallOptions): Promise<T>;
  patch<T>(path: string, body: object, options?: CallOptions): Promise<T>;
  delete(path: string, options?: CallOptions): Promise<void>;
};

export type RequestOptions = Omit<ApiRequest, "method" | "path" | "body">;
export type PageQuery = { skip?: number | undefined; limit?: number | undefined };
export type Page<T> = { items: T[]; total: number };
/** Undefined fields are not sent. */
export type Loose<T> = { [K in keyof T]: T[K] | undefined };

export function requestsBy(send: SendRequest): Requests {
  const bodyOf = async <T>(call: ApiRequest): Promise<T> => (await send<T>(call)).body;
  return {
    get: (path, options) => bodyOf({ method: "GET", path, ...options }),
    async page<T>(path: string, options?: RequestOptions) {
      const { body, count } = await send<T[]>({ method: "GET", path, ...options });
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    post: (path, body, options) =>
      bodyOf({
        method: "POST",
        path,
        body,
        ...options,
        idempotencyKey: options?.idempotencyKey ?? createIdempotencyKey(),
      }),
    postUnkeyed: (path, body, options) => bodyOf({ method: "POST", path, body, ...options }),
    patch: (path, body, options) => bodyOf({ method: "PATCH", path, body, ...options }),
    async delete(path, options) {
      await send({ method: "DELETE", path, ...options });
    },
  };
}

export function momentText(moment: Date | string | undefined): string | undefined {
  return moment instanceof Date ? moment.toISOString() : moment;
}
