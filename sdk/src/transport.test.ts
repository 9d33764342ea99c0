import { expect, test } from "vitest";
import { apiRootOf } from "./transport.ts";

test.for([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/api/v1", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/api/v1/", "http://127.0.0.1:8080/api/v1"],
  [" https://shop.io/mail/ ", "https://shop.io/mail/api/v1"],
  ["/", "/api/v1"],
  ["/mail", "/mail/api/v1"],
] as const)("%j resolves to %s", ([baseUrl, root]) => {
  expect(apiRootOf(baseUrl)).toBe(root);
});

test.for([
  "",
  "shop.io",
  "ftp://shop.io",
  "//shop.io",
  "https://ann:secret@shop.io",
  "https://shop.io/?key=secret",
  "/#x",
])("%j is rejected, and is not repeated in the error", (baseUrl) => {
  expect(() => apiRootOf(baseUrl)).toThrow(/^baseUrl must be a URL such as [^?@]*$/);
});
