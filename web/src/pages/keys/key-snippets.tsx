/** The same question in three languages, ready to paste. */
import { Tabs } from "@mantine/core";
import { CopyableCode } from "../../shared/copyable-code.tsx";

export function KeySnippets({ keyText }: { keyText: string }) {
  const snippets = snippetsWith(keyText, window.location.origin);
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label="Language">
        {snippets.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([name, code]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <CopyableCode text={code} label={`the ${name} example`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The sandbox answers for mailvet.test, so each of them shows something without asking a stranger's server. */
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

answer = requests.post(
    "${baseUrl}/api/v1/validation/single",
    headers={"X-API-Key": "${key}"},
    json={"email": "valid@mailvet.test"},
    timeout=60,
)
answer.raise_for_status()
result = answer.json()
print(result["status"], result["safe_to_send"])`,
    ],
  ];
}
