/**
 * Parses the answer of a language model: exactly the JSON of the schema with one answer per question, or nothing.
 *
 * One code fence around the whole is removed, because many models add it regardless. Nothing else is tolerated: a model that
 * ignores the schema may have ignored the question as well. No text of the model is kept.
 */

import { ADJUDICATION_REASONS, type AdjudicationReason } from "@mailvet/engine";
import { Type } from "typebox";
import { Compile } from "typebox/compile";

export type AdjudicationAnswer = { plausible: number; reasonCode: AdjudicationReason };

/** In the order of the questions, whose ids are 1 to `count`. Undefined when it does not match. */
export function readAnswers(text: string, count: number): AdjudicationAnswer[] | undefined {
  const parsed = parse(withoutFence(text.trim()));
  if (!schema.Check(parsed) || parsed.answers.length !== count) return undefined;
  const byId = new Map(parsed.answers.map((answer) => [answer.id, answer]));
  const answers: AdjudicationAnswer[] = [];
  for (let id = 1; id <= count; id++) {
    const answer = byId.get(id);
    if (!answer) return undefined; // another id is duplicated or unknown
    answers.push({ plausible: answer.plausible, reasonCode: answer.reason_code });
  }
  return answers;
}

const strictly = { additionalProperties: false };
const ReasonCode = Type.Unsafe<AdjudicationReason>({ type: "string", enum: [...ADJUDICATION_REASONS] });
const Answers = Type.Object(
  {
    answers: Type.Array(
      Type.Object(
        {
          id: Type.Integer(),
          plausible: Type.Number({ minimum: 0, maximum: 1 }),
          reason_code: ReasonCode,
        },
        strictly,
      ),
    ),
  },
  strictly,
);
const schema = Compile(Answers);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FENCE = "```";

/** The text between ```json and ```, when they are around the whole. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return text;
  const firstLineEnd = text.indexOf("\n");
  const opening = text.slice(0, Math.max(0, firstLineEnd)).trim();
  return opening === FENCE || opening === `${FENCE}json` ? text.slice(firstLineEnd, -FENCE.length) : text;
}
