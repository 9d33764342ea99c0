/** The way to the verdict, stage by stage, and what else was found on it. */

import type { ValidationResult } from "@mailvet/contract";
import { Accordion, Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { CopyableCode } from "../../shared/copyable-code.tsx";
import { verdictLabel } from "../../shared/status-badge.tsx";
import { ADVICE, flagText } from "./advice.ts";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";
import type { Stage } from "./stage.ts";
import { stagesOf } from "./stages.ts";
import classes from "./validate.module.css";

export function StageList({ result }: { result: ValidationResult }) {
  const stages = stagesOf(result);
  const reached = stages.filter(({ outcome }) => outcome !== "skipped").map(({ id }) => id);
  return (
    <Paper withBorder className={classes.story}>
      <Accordion
        multiple
        order={3}
        classNames={{ item: classes.stage, content: classes.panel }}
        defaultValue={[...reached, "verdict"]}
      >
        {stages.map((stage) => (
          <Accordion.Item key={stage.id} value={stage.id}>
            <Accordion.Control icon={<OutcomeIcon outcome={stage.outcome} />}>
              <Heading title={stage.title} word={stage.word} />
            </Accordion.Control>
            <Accordion.Panel>
              <StagePanel
                stage={stage}
                email={result.email}
                errorAt={result.details.syntax_error?.position}
              />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
        <Accordion.Item value="verdict">
          <Accordion.Control icon={<OutcomeIcon outcome={OUTCOME_OF[result.status]} />}>
            <Heading title="The verdict" word={verdictLabel(result)} />
          </Accordion.Control>
          <Accordion.Panel>
            <VerdictPanel result={result} />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="json">
          <Accordion.Control icon={<OutcomeIcon outcome="skipped" />}>
            <Text fw={600}>The whole answer as JSON</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <CopyableCode text={JSON.stringify(result, null, 2)} label="the answer" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Paper>
  );
}

function Heading({ title, word }: { title: string; word: string }) {
  return (
    <Group gap="sm" style={{ rowGap: 0 }}>
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {word}
      </Text>
    </Group>
  );
}

function StagePanel({
  stage,
  email,
  errorAt,
}: {
  stage: Stage;
  email: string;
  errorAt?: number | undefined;
}) {
  return (
    <Stack gap="sm">
      <Text size="sm">{stage.meaning}</Text>
      {stage.id === "text" && errorAt !== undefined && <Slip email={email} at={errorAt} />}
      {stage.quote && (
        <figure className={classes.quote}>
          <Text component="blockquote" m={0} ff="monospace" size="sm" className="breaks">
            {stage.quote.line}
          </Text>
          <Text component="figcaption" size="xs" c="dimmed" mt={4} className="breaks">
            {stage.quote.who}
          </Text>
        </figure>
      )}
      {stage.facts.length > 0 && (
        <dl className={classes.facts}>
          {stage.facts.map(([label, value]) => (
            <div key={`${label} ${value}`}>
              <dt>{label}</dt>
              <dd className={value === "no" ? classes.plain : "breaks"}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Stack>
  );
}

/** The address with the place marked where it stops being one. */
function Slip({ email, at }: { email: string; at: number }) {
  const shown = String.fromCodePoint(email.codePointAt(at) ?? 0x2423).replace(/\s/, "␣");
  return (
    <Text ff="monospace" size="sm" className="breaks">
      {email.slice(0, at)}
      <mark>{shown}</mark>
      {email.slice(at + shown.length)}
    </Text>
  );
}

function VerdictPanel({ result }: { result: ValidationResult }) {
  const { sub_status, flags, is_valid } = result;
  return (
    <Stack gap="sm">
      <Text size="sm">{ADVICE[sub_status].why}</Text>
      <Text size="sm">
        {is_valid
          ? "There is positive evidence that this very mailbox exists."
          : "There is no positive evidence that this very mailbox exists."}
      </Text>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          Also found:
        </Text>
        {flags.length === 0 ? (
          <Text size="sm" c="dimmed">
            nothing else
          </Text>
        ) : (
          flags.map((flag) => (
            <Badge key={flag} variant="default">
              {flagText(flag)}
            </Badge>
          ))
        )}
      </Group>
    </Stack>
  );
}
