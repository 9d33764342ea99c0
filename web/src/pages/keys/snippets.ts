/**
 * Example requests in curl, JavaScript and Python, as a reader pastes them: into a shell what is in `shell`, into a file
 * what is in `code`. They need no package, because the SDKs are on no registry. They check a sandbox address, so that no
 * real mail server is contacted.
 *
 * Without imports, because tests run every snippet outside the browser.
 */
export type Snippet = { shell: string; code: string };

/** Where the key is not known: it is shown at its creation only. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

export function snippetsFor(key: string, baseUrl: string): Record<"curl" | "JavaScript" | "Python", Snippet> {
  const shell = `export MAILVET_API_KEY="${key}"`;
  const url = `${baseUrl}/api/v1/validation/single`;
  return {
    curl: {
      shell,
      code: `curl ${url} \\
  -H "X-API-Key: $MAILVET_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"email": "valid@mailvet.test"}'`,
    },
    JavaScript: {
      shell,
      code: `const response = await fetch("${url}", {
  method: "POST",
  headers: { "X-API-Key": process.env.MAILVET_API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({ email: "valid@mailvet.test" }),
});
const result = await response.json();
console.log(result.status, result.safe_to_send);`,
    },
    Python: {
      shell,
      code: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps({"email": "valid@mailvet.test"}).encode(),
    headers={"X-API-Key": os.environ["MAILVET_API_KEY"], "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    result = json.load(response)
print(result["status"], result["safe_to_send"])`,
    },
  };
}
