/**
 * Generates a Go client from the OpenAPI document of the running service, builds it and makes a call with it.
 *
 *   npm run test:clients
 *
 * Needs Go 1.24 or newer and its module proxy. The TypeScript client is part of `npm test`
 * (service/test/generated-client.test.ts).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { documentAt, KEY, withService } from "./run-service.mjs";

const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.1";
const RUNTIME = "github.com/oapi-codegen/runtime@v1.8.0";

const CONFIG = `package: main
generate:
  models: true
  client: true
output-options:
  skip-prune: true # otherwise the types that only webhooks refer to are missing
output: client.gen.go
`;

const MAIN = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("SERVICE")+"/api/v1", WithRequestEditorFn(withKey))
	if err != nil {
		panic(err)
	}
	body := ValidationRequest{Email: "mailbox-not-found@mailvet.test"}
	answer, err := client.ValidateSingleWithResponse(context.Background(), nil, body)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.StatusCode(), answer.JSON200.Status, answer.JSON200.SubStatus)

	body = ValidationRequest{Email: "valid@mailvet.test"}
	wrongKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer unknown-key")
		return nil
	}
	refused, err := client.ValidateSingleWithResponse(context.Background(), nil, body, wrongKey)
	if err != nil {
		panic(err)
	}
	fmt.Println(refused.StatusCode(), refused.ApplicationproblemJSON401.Code)
}
`;

const EXPECTED = "200 invalid mailbox_not_found\n401 invalid_api_key\n";

/** Where its installer puts it is often not in PATH. */
const environment = {
  ...process.env,
  PATH: `${process.env.PATH}${delimiter}/usr/local/go/bin`,
  GOFLAGS: "-mod=mod",
  GOTOOLCHAIN: "local",
};

if (spawnSync("go", ["version"], { env: environment }).status !== 0) {
  console.log("clients: Go: SKIPPED, there is none");
} else {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-go-"));
  try {
    await tryGo(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryGo(folder) {
  await withService(async (url) => {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(await documentAt(url)));
    writeFileSync(join(folder, "config.yaml"), CONFIG);
    writeFileSync(join(folder, "main.go"), MAIN);
    const go = (args, env = {}) => {
      const done = spawnSync("go", args, { cwd: folder, env: { ...environment, ...env }, encoding: "utf8" });
      if (done.status !== 0) throw new Error(`go ${args.join(" ")} failed:\n${done.stdout}${done.stderr}`);
      return done.stdout;
    };
    go(["mod", "init", "example.com/client"]);
    go(["run", OAPI_CODEGEN, "-config", "config.yaml", "openapi.json"]);
    go(["get", RUNTIME]);
    go(["vet", "."]);
    const printed = go(["run", "."], { SERVICE: url, KEY });
    if (printed !== EXPECTED) throw new Error(`the Go client printed:\n${printed}`);
    console.log(`clients: Go, oapi-codegen: ${printed.trim().replace("\n", "; ")}`);
  });
}
