/** The stages of a check, one line each and open where they decided; the verdict with its flags; the JSON response. */
import "@mantine/core/styles/Accordion.layer.css";
import type { ValidationResult } from "@mailvet/contract";
import { Accordion, Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { verdictLabel } from "../../components/verdict/messages.ts";
import { common } from "../../messages.ts";
import { ADVICE, flagText, messages } from "./messages.tsx";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";
import type { Stage } from "./stage.ts";
import { decidingStage, stagesOf } from "./stages.ts";
import classes from "./validate.module.css";

export function StageList({ result }: { result: ValidationResult }) {
  const stages = stagesOf(result);
  return (
    <Paper withBorder className={classes.stages}>
      <Accordion
        multiple
        order={3}
        classNames={{ item: classes.stage, label: classes.label, content: classes.panel }}
        defaultValue={[decidingStage(result)]}
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
            <Heading title={messages.stages.verdict} word={verdictLabel(result.status, result.sub_status)} />
          </Accordion.Control>
          <Accordion.Panel>
            <VerdictPanel result={result} />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="json">
          <Accordion.Control icon={<OutcomeIcon outcome="skipped" />}>
            <Text>{messages.stages.json}</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <CopyableCode text={JSON.stringify(result, null, 2)} label={messages.stages.json} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Paper>
  );
}

function Heading({ title, word }: { title: string; word: string }) {
  return (
    <Group gap="sm" style={{ rowGap: 0 }}>
      <Text fw={500}>{title}</Text>
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
      {stage.id === "syntax" && errorAt !== undefined && <MarkedEmail email={email} at={errorAt} />}
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
              <dd className={value === common.no ? classes.plain : "breaks"}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Stack>
  );
}

/** The address with the position of the syntax error marked. */
function MarkedEmail({ email, at }: { email: string; at: number }) {
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
      <Text size="sm">{ADVICE[sub_status].reason}</Text>
      <Text size="sm">{is_valid ? messages.stages.confirmed : messages.stages.unconfirmed}</Text>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {messages.stages.flags}
        </Text>
        {flags.length === 0 ? (
          <Text size="sm" c="dimmed">
            {messages.stages.noFlags}
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
