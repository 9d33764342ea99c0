import { expect, test } from "vitest";
import { apiRootOf } from "./connection.ts";

test.for([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/api/v1", "http://127.0.0.1:8080/api/v1"],
  ["http://127.0.0.1:8080/api/v1/", "http://127.0.0.1:8080/api/v1"],
  [" https://shop.io/mail/ ", "https://shop.io/mail/api/v1"],
  ["/", "/api/v1"],
  ["/mail", "/mail/api/v1"],
] as const)("%j leads to the API at %s", ([baseUrl, root]) => {
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
])("%j is no address of a service, and is not repeated in the complaint", (baseUrl) => {
  expect(() => apiRootOf(baseUrl)).toThrow(/^baseUrl must be an address such as [^?@]*$/);
});
