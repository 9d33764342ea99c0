import Fastify from "fastify";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { buildOpenApiDocument, collectApiRoutes } from "./openapi.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
async function documentOf(register: (app: any) => void): Promise<any> {
  await using app = Fastify();
  const routes = collectApiRoutes(app);
  register(app);
  await app.ready();
  return buildOpenApiDocument(routes, { version: "1.2.3", cookieName: "session" });
}

test("a route that accepts a file is described as multipart/form-data", async () => {
  const { paths } = await documentOf((app) => {
    const config = { access: "any_key", consumes: "multipart/form-data" };
    app.post("/api/v1/files", { config }, async () => "ok");
  });
  const { requestBody } = paths["/files"].post;
  expect(requestBody.required).toBe(true);
  expect(requestBody.content["multipart/form-data"].schema).toMatchObject({
    type: "object",
    properties: { file: { type: "string", format: "binary" } },
    required: ["file"],
  });
});

test("a route that returns files is described with their media types, and its errors as problems", async () => {
  const { paths, components } = await documentOf((app) => {
    const schema = { response: { 200: Type.String({ description: "The file." }) } };
    const config = { access: "any_key", produces: ["text/csv", "application/x-ndjson"] };
    app.get("/api/v1/files/:file_id", { schema, config }, async () => "a,b");
  });
  const { responses } = paths["/files/{file_id}"].get;
  expect(Object.keys(responses[200].content)).toEqual(["text/csv", "application/x-ndjson"]);
  expect(responses[406]).toEqual({ $ref: "#/components/responses/NotAcceptable" });
  expect(Object.keys(components.responses.NotAcceptable.content)).toEqual(["application/problem+json"]);
});
