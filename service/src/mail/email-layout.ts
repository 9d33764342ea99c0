/**
 * The layout of every email: the same content as plain text and as HTML.
 *
 * HTML for mail clients: tables, inline styles, no images and nothing remote. The style sheet only has the colours of the
 * dark scheme; clients that drop it show the light one. All texts are escaped, and only `button` and `link` become links, so
 * a name that a user chose is shown as it is. The texts are in email-templates.ts.
 */
import { escapeHtml } from "../base/escape-html.ts";

export type EmailContent = {
  /** Also the heading of the email. */
  subject: string;
  paragraphs: readonly Paragraph[];
  /** Figures, one per line. */
  facts?: readonly (readonly [label: string, value: string])[];
  /** The one thing to do. Its URL is also shown, for clients without HTML and for careful readers. */
  button?: { label: string; url: string };
  /** Below the button, smaller. */
  notes?: readonly Paragraph[];
};

/** With `link`, a sentence that ends before its URL. */
export type Paragraph = string | { text: string; link: string };

export type RenderedEmail = { subject: string; text: string; html: string };

export function renderEmail(content: EmailContent): RenderedEmail {
  return { subject: content.subject, text: textOf(content), html: htmlOf(content) };
}

function textOf({ paragraphs, facts = [], button, notes = [] }: EmailContent): string {
  const plain = (paragraph: Paragraph) =>
    typeof paragraph === "string" ? paragraph : `${paragraph.text}:\n${paragraph.link}`;
  return `${[
    ...paragraphs.map(plain),
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join("\n")] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...notes.map(plain),
  ].join("\n\n")}\n`;
}

/** Colours of the web app (web/src/design/tokens.ts), by scheme. */
const COLOURS = {
  ground: { light: "#f7f8fa", dark: "#0d1116" },
  surface: { light: "#ffffff", dark: "#141920" },
  line: { light: "#e5e8ed", dark: "#272e39" },
  text: { light: "#171c25", dark: "#dbe0e8" },
  dim: { light: "#626b7a", dark: "#a6afbd" },
  link: { light: "#0d5c78", dark: "#80bed5" },
  button: { light: "#0d5c78", dark: "#126f8f" },
} as const;

const FONT = "font-family:Figtree,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** `class` and `style` of text in one of the colours. */
const ink = (colour: "text" | "dim" | "link", size: number, more = "") =>
  `class="mv-${colour}" style="${FONT};font-size:${size}px;line-height:1.55;color:${COLOURS[colour].light};${more}"`;

const DARK_STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
${(["text", "dim", "link"] as const).map((name) => `.mv-${name}{color:${COLOURS[name].dark}!important}`).join("\n")}
${(["ground", "surface", "button"] as const).map((name) => `.mv-${name}{background:${COLOURS[name].dark}!important}`).join("\n")}
.mv-line{border-color:${COLOURS.line.dark}!important}
}`;

const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

function htmlOf({ subject, paragraphs, facts = [], button, notes = [] }: EmailContent): string {
  const [first = ""] = paragraphs;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${DARK_STYLES}</style>
</head>
<body class="mv-ground" style="margin:0;padding:0;background:${COLOURS.ground.light}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(typeof first === "string" ? first : first.text)}</div>
<table ${TABLE} width="100%" class="mv-ground" style="background:${COLOURS.ground.light}"><tr><td align="center" style="padding:32px 16px">
<table ${TABLE} width="100%" style="max-width:560px">
<tr><td ${ink("text", 17, "font-weight:600;padding:0 0 16px 4px")}>${MARK}&nbsp;&nbsp;Mailvet</td></tr>
<tr><td class="mv-surface mv-line" style="background:${COLOURS.surface.light};border:1px solid ${COLOURS.line.light};border-radius:12px;padding:28px 28px 20px">
<h1 ${ink("text", 22, "line-height:1.3;font-weight:600;margin:0 0 16px;overflow-wrap:anywhere")}>${escapeHtml(subject)}</h1>
${paragraphs.map((paragraph) => paragraphHtml(paragraph, "text", 16)).join("\n")}
${factsHtml(facts)}${buttonHtml(button)}${notes.map((note) => paragraphHtml(note, "dim", 14)).join("\n")}
</td></tr>
<tr><td ${ink("dim", 13, "padding:16px 4px 0")}>Sent automatically by Mailvet.</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

/** A tick on the brand colour: an image would be remote, or an attachment. */
const MARK = `<span class="mv-button" style="display:inline-block;width:24px;height:24px;border-radius:6px;background:${COLOURS.button.light};color:#ffffff;text-align:center;font-size:15px;line-height:24px" aria-hidden="true">&#10003;</span>`;

function paragraphHtml(paragraph: Paragraph, colour: "text" | "dim", size: number): string {
  const { text, link } = typeof paragraph === "string" ? { text: paragraph, link: undefined } : paragraph;
  const linked = link === undefined ? "" : `: ${linkHtml(link, size)}`;
  return `<p ${ink(colour, size, "margin:0 0 14px;overflow-wrap:anywhere")}>${escapeHtml(text)}${linked}</p>`;
}

function linkHtml(url: string, size: number): string {
  return `<a href="${escapeHtml(url)}" ${ink("link", size, "overflow-wrap:anywhere;word-break:break-word")}>${escapeHtml(url)}</a>`;
}

function factsHtml(facts: NonNullable<EmailContent["facts"]>): string {
  if (facts.length === 0) return "";
  const cell = `class="mv-line" style="border-bottom:1px solid ${COLOURS.line.light};padding:7px 0"`;
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td ${cell}><span ${ink("dim", 15)}>${escapeHtml(label)}</span></td><td ${cell} align="right"><span ${ink("text", 15, "font-weight:600")}>${escapeHtml(value)}</span></td></tr>`,
  );
  return `<table ${TABLE} width="100%" style="margin:2px 0 20px">${rows.join("\n")}</table>\n`;
}

function buttonHtml(button: EmailContent["button"]): string {
  if (!button) return "";
  const { label, url } = button;
  return `<table ${TABLE} style="margin:6px 0 14px"><tr><td class="mv-button" style="background:${COLOURS.button.light};border-radius:8px">
<a href="${escapeHtml(url)}" style="${FONT};display:inline-block;padding:11px 20px;font-size:16px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a>
</td></tr></table>
<p ${ink("dim", 13, "margin:0 0 18px")}>Or open this link: ${linkHtml(url, 13)}</p>
`;
}
