/**
 * Refuses UI text outside the catalogues (messages.ts, messages.de.ts), so that the wording can be reviewed and translated
 * in one place per page.
 */
import { parseSync } from "vite";
import { expect, test } from "vitest";

const SOURCES = import.meta.glob<string>(
  ["./**/*.{ts,tsx}", "!./**/messages{,.de}.{ts,tsx}", "!./**/*.test.ts"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

/** Attributes whose value is shown or read aloud, in any case of letters. */
const TEXT_ATTRIBUTES = /^(aria-label|alt|data-name|description|intro|label|placeholder|title|\w+Label)$/;
/** Elsewhere a literal counts as text when it starts like a sentence or a label. */
const CAPITALISED = /^\s*[A-Z][a-z]/;
/** The name of each page's export, product names, an object of browsers, and keys of the keyboard. */
const ALLOWED =
  /^(Page|Edge|Opera|Samsung Internet|Firefox|Chrome|Safari|Android|ChromeOS|Windows|Linux|JavaScript|Python|PublicKeyCredential|Enter|Escape|ArrowDown|ArrowUp)$/;

type Node = { type: string; start: number } & Record<string, unknown>;

/** Nodes that pass a text on from their operands. */
const TRANSPARENT = /^(JSXExpressionContainer|ConditionalExpression|LogicalExpression|TemplateLiteral)$/;

/** The UI texts that a source file contains, each with its line. */
function textsIn(path: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, isText: boolean): void => {
    if (node.type === "ImportDeclaration" || node.type === "TSLiteralType") return;
    const text = literalOf(node);
    const shown = isText ? /\p{L}/u : CAPITALISED;
    if (text !== undefined && shown.test(text) && !ALLOWED.test(text))
      found.push(`${path}:${source.slice(0, node.start).split("\n").length} ${text.trim()}`);
    const isAttribute =
      node.type === "JSXAttribute" && TEXT_ATTRIBUTES.test((node.name as { name: string }).name);
    for (const [field, value] of Object.entries(node)) {
      const isTextBelow =
        (isText && TRANSPARENT.test(node.type) && field !== "test") ||
        (isAttribute && field === "value") ||
        (node.type.startsWith("JSX") && field === "children");
      for (const child of [value].flat()) if (isNode(child)) visit(child, isTextBelow);
    }
  };
  visit(parseSync(path, source).program as unknown as Node, false);
  return found;
}

function literalOf(node: Node): string | undefined {
  if (node.type === "TemplateElement") return (node.value as { cooked: string }).cooked;
  const isString = (node.type === "Literal" || node.type === "JSXText") && typeof node.value === "string";
  return isString ? (node.value as string) : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

test.each([
  ["text in JSX", "<p>Hello</p>"],
  ["a text attribute", '<input aria-label="email" />'],
  ["a label in an expression", '<b title={isOpen ? "hide it" : open} />'],
  ["a label in a child expression", '<b>{isDone && "done"}</b>'],
  ["a label in data", 'const NAMES = { valid: "Valid" };'],
])("%s is found", (_, source) => {
  expect(textsIn("example.tsx", source)).toHaveLength(1);
});

test.each([
  ["a message", "<p title={messages.title}>{messages.text}</p>"],
  ["an identifier", '<p className="breaks" role="status" />'],
  ["punctuation", "<p>{count} · {unit}</p>"],
])("%s is no text", (_, source) => {
  expect(textsIn("example.tsx", source)).toEqual([]);
});

test("all UI texts are in the catalogues", () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
  expect(Object.entries(SOURCES).flatMap(([path, source]) => textsIn(path, source))).toEqual([]);
});
