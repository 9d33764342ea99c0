/**
 * Reads what a language model answered: exactly the agreed JSON with exactly one answer to each question, or nothing.
 *
 * One code fence around the whole is taken off, for many models cannot be talked out of it. Nothing else is forgiven:
 * a model that departs from the form may have departed from the question as well. No word of its own is kept.
 */

import { ADJUDICATION_REASONS, type AdjudicationReason } from "@mailvet/engine";
import { Type } from "typebox";
import { Compile } from "typebox/compile";

export type AdjudicationAnswer = { plausible: number; reasonCode: AdjudicationReason };

/** In the order of the questions, whose ids are 1 to `count`. Undefined when it is not what was asked for. */
export function readAnswers(text: string, count: number): AdjudicationAnswer[] | undefined {
  const said = parse(withoutFence(text.trim()));
  if (!isSaid.Check(said) || said.answers.length !== count) return undefined;
  const byId = new Map(said.answers.map((answer) => [answer.id, answer]));
  const answers: AdjudicationAnswer[] = [];
  for (let id = 1; id <= count; id++) {
    const answer = byId.get(id);
    if (!answer) return undefined; // so another one is there twice, or nobody asked for it
    answers.push({ plausible: answer.plausible, reasonCode: answer.reason_code });
  }
  return answers;
}

const strictly = { additionalProperties: false };
const ReasonCode = Type.Unsafe<AdjudicationReason>({ type: "string", enum: [...ADJUDICATION_REASONS] });
const Said = Type.Object(
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
const isSaid = Compile(Said);

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
