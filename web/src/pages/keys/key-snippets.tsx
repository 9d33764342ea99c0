/** Example requests in curl, TypeScript and Python. */

import { Tabs } from "@mantine/core";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { messages } from "./messages.tsx";

export function KeySnippets({ keyText }: { keyText: string }) {
  const snippets = snippetsWith(keyText, window.location.origin);
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label={messages.language}>
        {snippets.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([name, code]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <CopyableCode text={code} label={messages.example(name)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The examples check a sandbox address, so that no real mail server is contacted. */
function snippetsWith(key: string, baseUrl: string): readonly (readonly [name: string, code: string])[] {
  return [
    [
      "curl",
      `curl ${baseUrl}/api/v1/validation/single \\
  -H "X-API-Key: ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"email": "valid@mailvet.test"}'`,
    ],
    [
      "TypeScript",
      `import { createClient } from "@mailvet/sdk";

const mailvet = createClient({ baseUrl: "${baseUrl}", apiKey: "${key}" });

const result = await mailvet.validate("valid@mailvet.test");
console.log(result.status, result.safe_to_send);`,
    ],
    [
      "Python",
      `import requests

response = requests.post(
    "${baseUrl}/api/v1/validation/single",
    headers={"X-API-Key": "${key}"},
    json={"email": "valid@mailvet.test"},
    timeout=60,
)
response.raise_for_status()
result = response.json()
print(result["status"], result["safe_to_send"])`,
    ],
  ];
}
