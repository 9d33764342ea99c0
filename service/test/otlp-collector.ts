/** An OTLP/HTTP collector on loopback: keeps the spans that arrive, and the bytes they came in. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  /** Span ids. */
  links: string[];
  /** service.name of its process. */
  service: unknown;
};

type KeyValue = { key: string; value: Record<string, unknown> };
type OtlpSpan = Omit<ReceivedSpan, "attributes" | "links" | "service"> & {
  attributes: KeyValue[];
  links?: { spanId: string }[];
};
type ExportRequest = {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

export async function openCollector({ answers = true } = {}) {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    spans.push(...spansIn(JSON.parse(body)));
    if (answers) response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    /** Everything that was received, as text. */
    text: () => bodies.join("\n"),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function spansIn({ resourceSpans }: ExportRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        service: plain(resource.attributes)["service.name"],
      })),
    ),
  );
}

const plain = (attributes: KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
