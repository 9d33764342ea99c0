/**
 * Example requests in curl, TypeScript and Python, as a reader pastes them: into a shell what is in `shell`, into a file
 * what is in `code`. They check a sandbox address, so that no real mail server is contacted.
 *
 * Without imports, because tests run every snippet outside the browser.
 */
export type Snippet = { shell: string; code: string };

export function snippetsFor(key: string, baseUrl: string): Record<"curl" | "TypeScript" | "Python", Snippet> {
  const setKey = `export MAILVET_API_KEY="${key}"`;
  return {
    curl: {
      shell: setKey,
      code: `curl ${baseUrl}/api/v1/validation/single \\
  -H "X-API-Key: $MAILVET_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"email": "valid@mailvet.test"}'`,
    },
    TypeScript: {
      shell: `npm install @mailvet/sdk\n${setKey}`,
      code: `import { createClient } from "@mailvet/sdk";

const mailvet = createClient({ baseUrl: "${baseUrl}", apiKey: process.env.MAILVET_API_KEY });

const result = await mailvet.validate("valid@mailvet.test");
console.log(result.status, result.safe_to_send);`,
    },
    Python: {
      shell: `pip install mailvet\n${setKey}`,
      code: `from mailvet import Mailvet

with Mailvet("${baseUrl}") as mailvet:  # the key is in MAILVET_API_KEY
    result = mailvet.validate("valid@mailvet.test")
    print(result["status"], result["safe_to_send"])`,
    },
  };
}
